#pragma once
// A warp as the run loop sees it: which lanes stand where. Fragments are disjoint sets of lanes; every live lane is in
// exactly one.

#include <array>
#include <cstdint>
#include <optional>

#include "device/emu/machine/op.h"
#include "device/emu/machine/program.h"

namespace kerlab::emu {

enum class State : std::uint8_t {
  ready,     ///< at the begin of its block
  converge,  ///< at the ending of its block, as all below
  collective,
  warp_barrier,
  barrier,
  mbarrier,         ///< mbarrier.try_wait
  cluster_barrier,  ///< barrier.cluster.wait
  wgmma             ///< wgmma.wait_group
};

struct Fragment {
  std::int32_t block = 0;
  std::uint32_t lanes = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;
};

struct WarpState : Warp {
  std::uint32_t live = 0;  ///< lanes that have not exited
  int count = 0;           ///< of fragments
  std::array<Fragment, kLanes> fragments{};
  std::int64_t executed = 0;       ///< instructions since the block began
  std::int32_t resume_above = -1;  ///< the next fragment to run is the first one beyond this block; -1: the lowest
  std::array<std::uint32_t, kLanes> member_mask{};  ///< of lanes that wait at bar.warp.sync
  std::uint32_t suspended = 0;                      ///< lanes that wait for an mbarrier, the cluster or wgmma
  std::uint64_t changes_seen = 0;                   ///< Cluster::changes when the suspended lanes were looked at last
  const Op* polled = nullptr;                       ///< a test_wait that failed; the warp has not been busy since
  std::uint32_t polled_offset = 0;                  ///< of the mbarrier that it looked at
  bool polled_phase = false;
  std::optional<std::uint64_t> gave_up_at;  ///< Cluster::changes when a try_wait gave up last in an impatient launch
  std::uint32_t register_limit = 0;         ///< of setmaxnreg; 0: never asked
  const Op* register_limit_op = nullptr;    ///< that set it
  std::uint32_t cluster_arrived = 0;        ///< lanes that have arrived at the cluster's barrier and not waited
  std::uint32_t cluster_parity = 0;         ///< of the phase in which they arrived

  /// Lanes that may run from the begin of a block; joins those that are there already.
  void add_ready(std::int32_t block, std::uint32_t lanes);
  /// They are together by a barrier or a collective instruction.
  void meet(std::uint32_t lanes) { rejoined &= ~lanes; }
  /// Lanes that wait at the ending of a block; joins those that wait there already.
  Fragment& add_waiting(std::int32_t block, std::uint32_t lanes, State state, int barrier = 0);
  void remove(int which);
  /// Index of the fragment to run next, -1 if none is ready.
  int choose();
  /// The lowest block where a fragment is ready; INT32_MAX: none.
  [[nodiscard]] std::int32_t lowest_ready() const;
  [[nodiscard]] bool has_ready() const { return lowest_ready() != INT32_MAX; }
  /// The waiting fragment at the ending of a block; -1: none.
  [[nodiscard]] int waiting_at(std::int32_t block) const;
};

inline int popcount(std::uint32_t lanes) {
  return lanes == ~0u ? kLanes : __builtin_popcount(lanes);
}

/// Calls f(lane) from the lowest on.
template <class F>
void for_lanes(std::uint32_t lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(__builtin_ctz(lanes));
}

}  // namespace kerlab::emu
