#pragma once
// Whether blocks that wait for each other can ever go on.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emu/machine/cluster_runner.h"

namespace kerlab::emu {

/// Looks at what runs together after each pass. Where nobody changes memory, and every cluster is again in a state in
/// which it was before, all of them do the same for ever, whatever their order. A state is known by a hash of 64 bits.
class ProgressWatch {
 public:
  /// True: none of them will ever go on, unless others begin. Slow only while nobody changes memory.
  bool stands_still(const std::vector<ClusterRunner*>& running) {
    std::int64_t effects = 0;
    for (const ClusterRunner* const cluster : running) effects += cluster->effects();
    if (effects != effects_) {
      effects_ = effects;
      quiet_ = 0;
      next_look_ = kFirstLook;
      return false;
    }
    if (++quiet_ < kFirstLook) return false;
    if (quiet_ == next_look_) {
      remember(running);
      return false;
    }
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (returned_[i] || running[i]->hash_state() != then_[i]) continue;
      returned_[i] = true;
      --left_;
    }
    return left_ == 0;
  }
  /// Others run now.
  void restart() { quiet_ = 0, effects_ = -1; }

 private:
  /// Passes without an effect before anybody looks closer: a look costs about as much as a pass.
  static constexpr int kFirstLook = 16;

  /// The later, the longer the loops whose states come again.
  void remember(const std::vector<ClusterRunner*>& running) {
    then_.clear();
    for (const ClusterRunner* const cluster : running) then_.push_back(cluster->hash_state());
    returned_.assign(running.size(), false);
    left_ = running.size();
    next_look_ = 2 * quiet_;
  }

  std::int64_t effects_ = -1;        ///< at the last pass
  int quiet_ = 0;                    ///< passes since they grew
  int next_look_ = 0;                ///< the pass whose states are remembered next
  std::vector<std::uint64_t> then_;  ///< states that are waited for to come again
  std::vector<bool> returned_;
  std::size_t left_ = 0;  ///< clusters that have not
};

}  // namespace kerlab::emu
