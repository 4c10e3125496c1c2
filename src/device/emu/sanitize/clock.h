#pragma once
// Vector clocks: what an actor knows to have happened. An actor is a warp, one of a warp's asynchronous engines (its
// cp.async copies, its wgmmas, its bulk copies) or an mbarrier, whose phases are the clock of what completes in them.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/modules.h"

namespace kerlab::emu {

/// Number of an actor in a launch: its cluster, and its place there.
using ActorId = std::uint32_t;
inline constexpr int kActorBits = 13;
inline constexpr ActorId kActorMask = (1u << kActorBits) - 1;

class Clock {
 public:
  Clock() = default;
  Clock(std::uint32_t cluster, std::size_t actors) : cluster_(cluster), own_(actors) {}

  /// Whether what the actor did up to `time` happened before. Actors outside the cluster are looked up.
  [[nodiscard]] bool knows(ActorId actor, std::uint32_t time) const {
    const std::uint32_t place = actor & kActorMask;
    if (actor >> kActorBits == cluster_) return place < own_.size() && own_[place] >= time;
    return foreign_ != nullptr && knows_foreign(actor, time);
  }
  /// The last time of an actor that it knows; 0: none.
  [[nodiscard]] std::uint32_t time_of(ActorId actor) const;
  [[nodiscard]] std::uint32_t own(std::uint32_t place) const { return place < own_.size() ? own_[place] : 0; }
  [[nodiscard]] bool empty() const { return own_.empty() && foreign_ == nullptr; }
  void raise(std::uint32_t place, std::uint32_t time);
  /// From now on all that the other one knows is known here too.
  void join(const Clock& other);

 private:
  using Entry = std::pair<ActorId, std::uint32_t>;
  using Foreign = std::vector<Entry>;  ///< by actor
  [[nodiscard]] bool knows_foreign(ActorId actor, std::uint32_t time) const;
  void join_foreign(const Foreign& other);

  std::uint32_t cluster_ = 0;
  std::vector<std::uint32_t> own_;          ///< of the cluster, by place
  std::shared_ptr<const Foreign> foreign_;  ///< of other clusters; most clocks of a block share one
};

}  // namespace kerlab::emu
