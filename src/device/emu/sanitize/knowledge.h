#pragma once
// What a warp, a barrier or a flag in memory knows of the launch, for the rules of the PTX memory model.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "device/emu/machine/op.h"
#include "device/emu/sanitize/clock.h"

namespace kerlab::emu {

struct Knowledge {
  Clock known;             ///< has happened before
  Clock fenced;            ///< of that, what a proxy fence has made visible to the async proxy
  Clock released;          ///< what a relaxed write lets others see: all that was known at the last fence
  Clock released_cluster;  ///< the same within the cluster: fences of scope .cluster count
  Clock released_block;    ///< the same within the block: fences of scope .cta count
  Clock acquired;          ///< what relaxed reads have seen and no fence has confirmed
  Clock acquired_cluster;  ///< of that, what a fence of scope .cluster would confirm
  Clock inits;             ///< initialisations of mbarriers that fence.mbarrier_init has made visible

  void join(const Knowledge& other) {
    known.join(other.known);
    fenced.join(other.fenced);
    released.join(other.released);
    released_cluster.join(other.released_cluster);
    released_block.join(other.released_block);
    acquired.join(other.acquired);
    acquired_cluster.join(other.acquired_cluster);
    inits.join(other.inits);
  }
};
inline Knowledge nothing(std::uint32_t cluster) {
  const Clock clock(cluster, 0);
  return {clock, clock, clock, clock, clock, clock, clock, clock};
}

/// The asynchronous engines of a warp; what each did is a matter of its groups.
enum Engine : std::uint32_t { kGeneric, kAsyncCopy, kWgmma, kBulkRead, kBulkWrite, kEngines };

/// Bytes of shared memory.
struct OperandRange {
  std::uint32_t begin = 0, end = 0;
};

struct FlyingSlot {
  std::uint32_t written = 0, read = 0;
  const Op* op = nullptr;
  bool copied = false;  ///< by mov, from such a register
  /// What was written by other instructions: by which, and one more than the fences before. Null: nothing.
  std::uint32_t touched_at = 0;
  const Op* touched_by = nullptr;
};

/// A read of words of global memory that others may write.
struct Look {
  const ptx::Instruction* at = nullptr;
  std::uint32_t lanes = 0;
  std::array<std::uint64_t, kLanes> address{};
};

/// What single lanes have acquired since those of their warp synchronised: the others do not know it yet.
struct LaneKnowledge {
  bool differs = false;
  Clock all, some;  ///< what every lane knows of other warps; what any has acquired
  std::array<Clock, kLanes> of;

  void begin(const Clock& known, std::uint32_t cluster) {
    if (differs) return;
    differs = true;
    all = known;
    some = Clock(cluster, 0);
    of.fill(some);
  }
  void join(std::size_t lane, const Clock& acquired) {
    of[lane].join(acquired);
    some.join(acquired);
  }
  /// Whether a warp that knows of it knows it through other lanes than these alone.
  [[nodiscard]] bool is_missing(std::uint32_t lanes, ActorId actor, std::uint32_t time) const {
    if (!differs || all.knows(actor, time) || !some.knows(actor, time)) return false;
    for (; lanes != 0; lanes &= lanes - 1)
      if (!of[static_cast<std::size_t>(std::countr_zero(lanes))].knows(actor, time)) return true;
    return false;
  }
};

struct WarpShadow {
  Knowledge now;
  /// What relaxed waits at mbarriers have seen and no fence has confirmed; of that, what takes one beyond the block.
  Knowledge seen, seen_far;
  ActorId actor = 0;         ///< its engines follow
  std::uint32_t time = 1;    ///< moves on when others learn of what was before
  std::uint32_t synced = 1;  ///< the lanes know of each other what was before this time
  std::uint32_t copies = 0;  ///< cp.async groups that all lanes know to be complete
  /// The same, by lane: what an mbarrier has told each of them, or another lane by a release; and what relaxed reads
  /// have seen, until a fence.
  std::array<std::uint32_t, kLanes> lane_knows{}, lane_copies{}, lane_saw{};
  LaneKnowledge lanes;
  bool cluster_synced = false;      ///< it has passed barrier.cluster
  std::uint32_t cluster_met = ~0u;  ///< who knows of it at this time knows that all blocks of the cluster run
  std::uint32_t running = 0;        ///< blocks of the cluster, by rank, that it knows to run
  /// By slot: one more than the last group whose wgmma writes it, or reads A from it; and the instruction. mov takes it
  /// along.
  std::vector<FlyingSlot> flying;
  std::uint32_t waited = 0, last_flight = 0;  ///< groups waited for; one more than the last one with a wgmma
  std::uint32_t fences = 0;                   ///< wgmma.fence executed
  std::vector<OperandRange> operands;         ///< that wgmmas of its open group read
  std::uint32_t operands_group = 0;
  Look look;                        ///< the last one
  std::vector<std::uint8_t> local;  ///< local memory: bytes that hold something

  void advance() { now.known.raise(actor & kActorMask, ++time); }
  void sync_lanes() {
    advance();
    synced = time;
    lanes.differs = false;
    copies = now.known.own((actor & kActorMask) + kAsyncCopy);
  }
};

}  // namespace kerlab::emu
