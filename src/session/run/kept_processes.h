#pragma once
// Workers and compilers that outlive a session: a suite opens the device, the vendor's library and NVRTC once, not once
// a problem (1.2 s of an H200's time each).

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "session/run/runner.h"

namespace kerlab::session {

struct RigOptions;

/// What a rig works with.
struct RigProcesses {
  std::unique_ptr<CompilerPool> compilers;
  std::vector<std::unique_ptr<CandidateRunner>> runners;  ///< one per device
};

/// Between two sessions. Keeps at most one of each for every way of starting them.
class KeptProcesses {
 public:
  /// Those of an earlier session with the same options; none where there are none.
  RigProcesses take(const RigOptions& options);
  /// Those of a session that has ended. What is not idle is ended: it works on what nobody waits for.
  void give(const RigOptions& options, RigProcesses processes);

 private:
  std::map<std::string, RigProcesses> kept_;
};

}  // namespace kerlab::session
