#pragma once
// Compilations that will be asked for one after the other, done side by side before: they end in the cache.

#include <vector>

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

}  // namespace kerlab::session
