#pragma once
// Compilations that will be asked for one after the other, done side by side before: they end in the cache.

#include <set>
#include <vector>

#include "session/run/candidate.h"
#include "session/run/rig.h"

namespace kerlab::session {

/// `while (ahead.step()) show(ahead.left());`. Not to be used without a cache (RigOptions::use_cache).
class CompileAhead {
 public:
  CompileAhead() = default;  ///< of nothing
  CompileAhead(Rig& rig, std::vector<CompileRequest> requests);
  /// Waits a little for something to happen. False: all of them are compiled, or have failed.
  bool step();
  [[nodiscard]] std::size_t left() const { return compilations_.size(); }

 private:
  Rig* rig_ = nullptr;
  std::vector<Compilation> compilations_;
};

/// What checks of configurations on several problems have compiled: kernels and references, each once.
class CompileList {
 public:
  explicit CompileList(const Rig& rig);
  /// As run_single_for will ask for it; nothing where the plan cannot be made.
  void add(const VariantSource& source, const Configuration& configuration, const Problem& problem,
           const DeviceInfo& device);
  /// Empty without a cache, in which nothing would be found.
  std::vector<CompileRequest> take();

 private:
  void add(const SourceBundle& text, std::vector<std::string> options);

  const Rig& rig_;
  SourceBundle reference_;
  std::set<std::vector<std::string>> known_;
  std::vector<CompileRequest> requests_;
};

}  // namespace kerlab::session
