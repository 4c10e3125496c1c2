// Waiting for mbarriers, for the cluster and for wgmma. Lanes whose phase has not ended stand still until something in
// the cluster changes; a failing test_wait, which must not stand still, ends the turn of its warp.

#include <algorithm>

#include "device/emu/async/cluster_barrier.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/async/wgmma_groups.h"
#include "device/emu/machine/block_runner.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

namespace {

/// Calls f(MbarrierWait, lanes) for each set of lanes that wait for the same. Mostly that is all of them.
template <class F>
void each_wait(const WarpState& warp, const Op& op, std::uint32_t lanes, F f) {
  while (lanes != 0) {
    const Issuer first{&warp, &op, __builtin_ctz(lanes)};
    const std::uint32_t group = alike(first, 1, lanes) & alike(first, 2, lanes);
    f(look_at(first), group);
    lanes &= ~group;
  }
}

}  // namespace

/// Of lanes at an mbarrier wait: those whose phase has ended.
std::uint32_t BlockRunner::completed(const WarpState& warp, const Op& op, std::uint32_t lanes) {
  std::uint32_t done = 0;
  each_wait(warp, op, lanes, [&](const MbarrierWait& wait, std::uint32_t group) {
    if (wait.completed) done |= group;
  });
  return done;
}

void BlockRunner::set_completed(const WarpState& warp, const Op& op, std::uint32_t lanes, bool value) {
  if (op.slot[0] < 0) return;
  std::uint32_t& predicate = warp.predicates[op.slot[0]];
  predicate = value ? predicate | lanes : predicate & ~lanes;
}

/// To the sanitizer: these lanes have waited.
void BlockRunner::tell_past(WarpState& warp, const Op& op, std::uint32_t lanes, State state) {
  Sanitizer* const sanitizer = cta_.launch->sanitizer;
  if (sanitizer == nullptr || lanes == 0 || state == State::wgmma) return;
  if (state == State::mbarrier) {
    sanitizer->mbarrier_waited(warp, op, lanes);
  } else {
    sanitizer->cluster_waited(warp, lanes);
  }
}

void BlockRunner::suspend(WarpState& warp, std::int32_t at, std::uint32_t lanes, State state) {
  if (lanes == 0) return;
  if (warp.suspended == 0) warp.changes_seen = cta_.cluster->changes;
  warp.suspended |= lanes;
  warp.add_waiting(at, lanes, state);
}

void BlockRunner::remember_poll(WarpState& warp, const Op& op, std::uint32_t lanes) {
  const MbarrierWait wait = look_at({&warp, &op, __builtin_ctz(lanes)});
  warp.polled = &op;
  warp.polled_offset = wait.at.offset;
  warp.polled_phase = wait.phase;
}

/// Whether a try_wait ends by its time limit at once. Until something changes in the cluster a warp does so no more:
/// who tries again waits then, and a deadlock is seen as ever.
bool BlockRunner::gives_up(WarpState& warp) const {
  if (!setting_.impatient || warp.gave_up_at == cta_.cluster->changes) return false;
  warp.gave_up_at = cta_.cluster->changes;
  return true;
}

std::uint32_t BlockRunner::mbarrier_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  const Op& op = *block.op;
  const std::uint32_t active = guarded(warp, block, lanes);
  const std::uint32_t done = completed(warp, op, active);
  set_completed(warp, op, done, true);
  tell_past(warp, op, done, State::mbarrier);
  warp.polled = nullptr;
  if (op.instruction->opcode == ptx::Opcode::mbarrier_test_wait) {
    set_completed(warp, op, active & ~done, false);
    if (done != active) remember_poll(warp, op, active & ~done);
    return lanes;
  }
  if (done == active) return lanes;
  if (gives_up(warp)) {
    set_completed(warp, op, active & ~done, false);
    return lanes;
  }
  count_wait(cta_, op);
  suspend(warp, at, active & ~done, State::mbarrier);
  return lanes & ~(active & ~done);
}

std::uint32_t BlockRunner::cluster_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  const std::uint32_t active = guarded(warp, block, lanes);
  const std::uint32_t past = past_cluster_barrier(warp, *block.op, active);
  leave_cluster_barrier(warp, past);
  if (past != active) count_wait(cta_, *block.op);
  tell_past(warp, *block.op, past, State::cluster_barrier);
  suspend(warp, at, active & ~past, State::cluster_barrier);
  return lanes & ~(active & ~past);
}

/// Whether the other warps of the warpgroup have issued all groups that this wgmma.wait_group waits for, or have ended.
bool BlockRunner::warpgroup_has_issued(const WarpState& warp, const Op& op) const {
  const std::vector<WgmmaGroups>& all = cta_.wgmma;
  const auto allowed = static_cast<std::uint32_t>(op.instruction->operands[0].bits);
  if (warp.index >= all.size() || all[warp.index].committed <= allowed) return true;
  const std::uint32_t awaited = all[warp.index].committed - allowed;
  const std::size_t first = warp.index / 4 * 4;
  for (std::size_t other = first; other < std::min(first + 4, warps_.size()); ++other) {
    const std::uint32_t committed = other < all.size() ? all[other].committed : 0;
    if (committed < awaited && warps_[other].live != 0) return false;
  }
  return true;
}

/// A wgmma is the work of the four warps of a warpgroup: it cannot have ended before all of them have issued it, though
/// each computes its part by itself here.
std::uint32_t BlockRunner::wgmma_wait(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  const std::uint32_t active = guarded(warp, block, lanes);
  if (active == 0) return lanes;
  if (warpgroup_has_issued(warp, *block.op)) {
    block.op->run(warp, *block.op, active);
    return lanes;
  }
  count_wait(cta_, *block.op);
  suspend(warp, at, active, State::wgmma);
  return lanes & ~active;
}

/// These lanes of a suspended fragment go on after their wait.
void BlockRunner::resume(WarpState& warp, int fragment, std::uint32_t lanes) {
  Fragment& f = warp.fragments[static_cast<std::size_t>(fragment)];
  const std::int32_t next = program_.blocks[static_cast<std::size_t>(f.block)].next;
  warp.suspended &= ~lanes;
  f.lanes &= ~lanes;
  if (f.lanes == 0) warp.remove(fragment);
  warp.add_ready(next, lanes);
}

void BlockRunner::wake(WarpState& warp) {
  warp.changes_seen = cta_.cluster->changes;
  for (int i = 0; i < warp.count; ++i) {
    const Fragment f = warp.fragments[static_cast<std::size_t>(i)];
    if (f.state != State::mbarrier && f.state != State::cluster_barrier && f.state != State::wgmma) continue;
    const Op& op = *program_.blocks[static_cast<std::size_t>(f.block)].op;
    std::uint32_t done = 0;
    if (f.state == State::mbarrier) {
      done = completed(warp, op, f.lanes);
      set_completed(warp, op, done, true);
    } else if (f.state == State::wgmma) {
      if (!warpgroup_has_issued(warp, op)) continue;
      done = f.lanes;
      op.run(warp, op, done);
    } else {
      done = past_cluster_barrier(warp, op, f.lanes);
      leave_cluster_barrier(warp, done);
    }
    if (done == 0) continue;
    tell_past(warp, op, done, f.state);
    resume(warp, i, done);
    i = -1;  // fragments have moved
  }
}

void BlockRunner::awaited(std::vector<SharedPlace>& places) const {
  for (const WarpState& warp : warps_) {
    if (warp.suspended == 0) continue;
    for (int i = 0; i < warp.count; ++i) {
      const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
      if (f.state != State::mbarrier) continue;
      const Op& op = *program_.blocks[static_cast<std::size_t>(f.block)].op;
      each_wait(warp, op, f.lanes, [&](const MbarrierWait& wait, std::uint32_t) {
        if (std::find(places.begin(), places.end(), wait.at) == places.end()) places.push_back(wait.at);
      });
    }
  }
}

bool BlockRunner::give_up_waits() {
  bool any = false;
  for (WarpState& warp : warps_) {
    if (warp.suspended == 0) continue;
    for (int i = 0; i < warp.count; ++i) {
      const Fragment f = warp.fragments[static_cast<std::size_t>(i)];
      if (f.state != State::mbarrier) continue;
      set_completed(warp, *program_.blocks[static_cast<std::size_t>(f.block)].op, f.lanes, false);
      resume(warp, i, f.lanes);
      any = true;
      i = -1;  // fragments have moved
    }
  }
  return any;
}

}  // namespace kerlab::emu
