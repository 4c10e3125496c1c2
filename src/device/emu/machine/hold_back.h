#pragma once
// One of the blocks that wait for each other is held up for a while, as a GPU may do to any: who gives up looking for
// what it tells, after some thousand looks, is wrong.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/emu/machine/cluster_runner.h"

namespace kerlab::emu {

class HoldBack {
 public:
  /// Holds up one of the clusters, which have all begun: which one, and behind how many of its writes, `draw` tells.
  /// The others run until they wait; then two of them look thousands of times. All go on from there.
  static void apply(const std::vector<ClusterRunner*>& running, std::uint32_t draw) {
    constexpr std::uint32_t kPlaces = 4;
    constexpr std::size_t kMostClusters = 40;  // others are checked on fewer too
    if (running.size() < 2 || running.size() > kMostClusters) return;
    const std::size_t which = draw / kPlaces % running.size();
    ClusterRunner* const held = running[which];
    if (!held->run_to_effect(draw % kPlaces) || !run_others(running, held)) return;
    int lookers = 0;
    for (std::size_t i = 1; i < running.size() && lookers < kLookers; ++i) {
      ClusterRunner& other = *running[(which + i) % running.size()];
      if (!other.finished() && look(other)) ++lookers;
    }
  }

 private:
  static constexpr std::int64_t kLooks = 1 << 12;
  static constexpr int kLookers = 2;

  /// Passes of all others at most, and of one that looks (which may sleep between two looks).
  static constexpr int kPasses = 64, kLookingPasses = 1 << 13;
  /// So many passes without a write, or a look, are enough to tell that no more comes: there may be barriers between.
  static constexpr int kQuiet = 8;

  /// All but one, until none of them changes memory any more. False: none of them can go on.
  [[nodiscard]] static bool run_others(const std::vector<ClusterRunner*>& running, const ClusterRunner* held) {
    std::int64_t before = -1;
    for (int pass = 0, quiet = 0; pass < kPasses && quiet < kQuiet; ++pass) {
      bool moved = false;
      std::int64_t effects = 0;
      for (ClusterRunner* const cluster : running) {
        if (cluster == held || cluster->finished()) continue;
        moved |= cluster->pass() != Round::stuck;
        effects += cluster->effects();
      }
      if (!moved) return false;
      quiet = effects == before ? quiet + 1 : 0;
      before = effects;
    }
    return true;
  }

  /// True: it has looked so often, or gone on as if it had seen something.
  static bool look(ClusterRunner& cluster) {
    const std::int64_t first = cluster.looks();
    int quiet = 0;
    for (int pass = 0; pass < kLookingPasses && quiet < kQuiet && !cluster.finished(); ++pass) {
      const std::int64_t before = cluster.looks();
      if (before - first >= kLooks || cluster.pass() == Round::stuck) break;
      quiet = cluster.looks() == before ? quiet + 1 : 0;
    }
    return cluster.looks() > first;
  }
};

}  // namespace kerlab::emu
