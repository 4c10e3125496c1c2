#pragma once
// `kerlab noise`: what the times of this device are worth. The regression gate with the same kernel on both sides: what
// it shows is noise, and the smallest slow-down that it could tell from it.

#include "db/database.h"
#include "session/find/suite.h"
#include "session/regress/time_gate.h"

namespace kerlab::session {

struct NoiseOptions {
  RigOptions rig;                      ///< its target is not used
  std::vector<SuiteProblem> problems;  ///< of each the first variant named, else the winner's kernel
  GateOptions gate;
};

struct NoiseRow {
  std::string title, label, how;  ///< problem; "hopper BM=128 ..."; "winner, trial 12"
  std::string kind;               ///< compute, memory: what bounds the problem; launch: under 10 us
  GateOutcome twice;              ///< the kernel against itself
  double spread = 0;              ///< of the samples of one process: median absolute deviation over the median
};

struct NoiseReport {
  DeviceInfo device;
  std::vector<NoiseRow> rows;
  std::vector<std::string> notes;  ///< problems left out, with the reason
  int processes = 0;               ///< that were started for it
  double seconds = 0;
};

/// `while (session.step()) show(session.doing());`. Nothing is checked or stored: only kernels that have passed
/// elsewhere should be asked for.
class NoiseSession {
 public:
  NoiseSession(NoiseOptions options, const Database* database);
  ~NoiseSession();
  /// Compiles a kernel, or is a step of the gate. False: finished. Throws UsageError for an emulated device, which has
  /// no noise; Error when not one problem can be run.
  bool step();
  [[nodiscard]] std::string doing() const;
  [[nodiscard]] NoiseReport report() const;

 private:
  struct Prepared {
    NoiseRow row;
    bool memory_bound = false;
  };
  void prepare(const SuiteProblem& asked);
  void add_kernel(const SuiteProblem& asked);

  NoiseOptions options_;
  const Database* database_;
  Clock::time_point begun_ = Clock::now();
  std::unique_ptr<Rig> rig_;
  std::size_t next_ = 0;  ///< problem to prepare
  std::vector<Prepared> prepared_;
  std::vector<TimedPair> pairs_;
  std::optional<TimeGate> gate_;
  DeviceInfo device_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
