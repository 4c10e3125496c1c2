// What happens at the ending of a block, other than going on or branching.

#include <fmt/format.h>

#include "device/emu/async/cluster_barrier.h"
#include "device/emu/async/register_pool.h"
#include "device/emu/machine/block_runner.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

/// The member mask of a .sync instruction: its last operand. Aligned instructions under a guard name all lanes.
std::uint32_t member_mask(const Warp& warp, const Op& op, int lane) {
  const ptx::Instruction& instruction = *op.instruction;
  if (!instruction.modifiers.synchronised && instruction.opcode != ptx::Opcode::bar_warp) return ~0u;
  switch (instruction.opcode) {
    case ptx::Opcode::shfl:
    case ptx::Opcode::vote:
    case ptx::Opcode::match:
    case ptx::Opcode::redux:
    case ptx::Opcode::elect:
    case ptx::Opcode::bar_warp:
      return warp.slots[std::ptrdiff_t{op.slot[instruction.operands.size() - 1]} * kLanes + lane];
    default:
      return ~0u;
  }
}

}  // namespace

std::uint32_t BlockRunner::end_block(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  switch (block.kind) {
    case End::converge:
      return converge(warp, at, lanes);
    case End::collective:
      return collective(warp, at, lanes);
    case End::warp_barrier:
      return warp_barrier(warp, at, lanes);
    case End::barrier:
      return barrier(warp, at, lanes);
    case End::mbarrier_wait:
      return mbarrier_wait(warp, at, lanes);
    case End::cluster_wait:
      return cluster_wait(warp, at, lanes);
    case End::wgmma_wait:
      return wgmma_wait(warp, at, lanes);
    default:
      break;
  }
  const std::uint32_t active = guarded(warp, block, lanes);
  if (active == 0 || block.kind == End::yield) return lanes;
  switch (block.kind) {
    case End::exit:
      exit_lanes(warp, active);
      return lanes & ~active;
    case End::table:
      jump_table(warp, block, active);
      return lanes & ~active;
    case End::set_registers:
      set_register_limit(warps_, warp, *block.op);
      return lanes;
    case End::print:
      print(warp, *block.op, active);
      return lanes;
    case End::assertion:
      fail_assertion(warp, *block.op, __builtin_ctz(active));
    default:
      raise(FaultKind::trap, warp, *block.op, __builtin_ctz(active), "was executed");
  }
}

std::uint32_t BlockRunner::converge(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const int waiting = warp.waiting_at(at);
  if (waiting >= 0) {
    lanes |= warp.fragments[static_cast<std::size_t>(waiting)].lanes;
    warp.remove(waiting);
  }
  if (lanes == warp.live) {
    warp.meet(lanes);
    return lanes;
  }
  if (lanes != 0) warp.add_waiting(at, lanes, State::converge);
  return 0;
}

/// Runs the operation for each set of lanes that name the same members, once all its live members are here. `lanes`:
/// those that arrive now; others may be waiting here.
std::uint32_t BlockRunner::collective(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  std::uint32_t go_on = lanes & ~guarded(warp, block, lanes);
  std::uint32_t here = lanes & ~go_on;
  const int waiting = warp.waiting_at(at);
  if (waiting >= 0) {
    here |= warp.fragments[static_cast<std::size_t>(waiting)].lanes;
    warp.remove(waiting);
  }
  std::uint32_t stay = 0;
  const int op = program_.counted[static_cast<std::size_t>(block.op - program_.ops.data())];
  while (here != 0) {
    const std::uint32_t members = member_mask(warp, *block.op, __builtin_ctz(here));
    std::uint32_t group = 0;
    for_lanes(here, [&](int lane) {
      if (member_mask(warp, *block.op, lane) == members) group |= 1u << lane;
    });
    here &= ~group;
    Sanitizer* const sanitizer = cta_.launch->sanitizer;
    if (sanitizer != nullptr) sanitizer->members(warp, *block.op, group, members, here);
    if ((members & warp.live & ~group) != 0) {
      stay |= group;
      continue;
    }
    counted_[static_cast<std::size_t>(op)].warps++;
    counted_[static_cast<std::size_t>(op)].lanes += popcount(group);
    if (sanitizer != nullptr) {
      sanitizer->look_at_registers(warp, *block.op);
      sanitizer->before(warp, *block.op, group);
    }
    block.op->run(warp, *block.op, group);
    if (sanitizer != nullptr) sanitizer->after(warp, *block.op, group);
    go_on |= group;
    if (go_on == group) warp.meet(group);
  }
  if (stay != 0) warp.add_waiting(at, stay, State::collective);
  return go_on;
}

/// Lanes may wait at different bar.warp.sync: only the member masks must agree.
std::uint32_t BlockRunner::warp_barrier(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  const std::uint32_t active = guarded(warp, block, lanes);
  std::uint32_t missing = 0;
  const std::uint32_t members = active == 0 ? 0 : member_mask(warp, *block.op, __builtin_ctz(active));
  if (Sanitizer* const sanitizer = cta_.launch->sanitizer) {
    for_lanes(active, [&](int lane) {
      sanitizer->members(warp, *block.op, 1u << lane, member_mask(warp, *block.op, lane), 0);
    });
  }
  for_lanes(active, [&](int lane) { missing |= member_mask(warp, *block.op, lane) ^ members; });
  missing |= members & warp.live & ~active;
  if (missing != 0) {
    for_lanes(active,
              [&](int lane) { warp.member_mask[static_cast<std::size_t>(lane)] = member_mask(warp, *block.op, lane); });
    warp.add_waiting(at, active, State::warp_barrier);
    release_warp_barrier(warp);
    return lanes & ~active;
  }
  if (cta_.launch->sanitizer != nullptr && active != 0) cta_.launch->sanitizer->sync_warp(warp);
  if (active == lanes) warp.meet(lanes);
  return lanes;
}

void BlockRunner::release_warp_barrier(WarpState& warp) {
  std::uint32_t waiting = 0;
  for (int i = 0; i < warp.count; ++i) {
    const Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
    if (f.state == State::warp_barrier) waiting |= f.lanes;
  }
  std::uint32_t released = 0;
  for_lanes(waiting, [&](int lane) {
    const std::uint32_t members = warp.member_mask[static_cast<std::size_t>(lane)];
    std::uint32_t missing = members & warp.live & ~waiting;
    for_lanes(members & waiting, [&](int other) {
      if (warp.member_mask[static_cast<std::size_t>(other)] != members) missing |= 1u << other;
    });
    if (missing == 0) released |= 1u << lane;
  });
  if (cta_.launch->sanitizer != nullptr && released != 0) cta_.launch->sanitizer->sync_warp(warp);
  for (int i = 0; released != 0 && i < warp.count; ++i) {
    Fragment& f = warp.fragments[static_cast<std::size_t>(i)];
    const std::uint32_t go_on = f.lanes & released;
    if (f.state != State::warp_barrier || go_on == 0) continue;
    const std::int32_t next = program_.blocks[static_cast<std::size_t>(f.block)].next;
    const bool all = (warp.member_mask[static_cast<std::size_t>(__builtin_ctz(go_on))] & warp.live) == go_on;
    released &= ~go_on;
    f.lanes &= ~go_on;
    if (f.lanes == 0) warp.remove(i);
    warp.add_ready(next, go_on);
    if (all) warp.meet(go_on);
    i = -1;  // fragments have moved
  }
}

void BlockRunner::jump_table(WarpState& warp, const Block& block, std::uint32_t lanes) {
  const std::vector<std::int32_t>& targets = program_.tables[static_cast<std::size_t>(block.table)];
  int ways = 0;
  while (lanes != 0) {
    const std::uint32_t* index = warp.slots + std::ptrdiff_t{block.op->slot[0]} * kLanes;
    const int first = __builtin_ctz(lanes);
    if (index[first] >= targets.size()) {
      raise(FaultKind::launch_failed, warp, *block.op, first, "jumps beyond its table");
    }
    std::uint32_t group = 0;
    for_lanes(lanes, [&](int lane) {
      if (index[lane] == index[first]) group |= 1u << lane;
    });
    warp.add_ready(targets[index[first]], group);
    lanes &= ~group;
    ++ways;
  }
  if (ways > 1) count_divergence(cta_, *block.op);
}

/// What the block had issued and nobody waits for is done now.
void BlockRunner::end_of_block() {
  cta_.ended = true;
  if (cta_.launch->sanitizer != nullptr) cta_.launch->sanitizer->end_block(cta_);
  if (program_.sets_registers) check_register_limits(warps_);
  if (!cta_.cluster->pending.empty()) finish_copies(*cta_.cluster, cta_.rank);
  if (setting_.kept_shared != nullptr) setting_.kept_shared->end_block(linear_, {shared_.get(), cta_.shared_bytes});
}

/// Lanes that have gone are waited for no longer.
void BlockRunner::exit_lanes(WarpState& warp, std::uint32_t lanes) {
  warp.live &= ~lanes;
  exit_cluster(warp, lanes);
  if (warp.live == 0 && --warps_left_ == 0) return end_of_block();
  const std::array<Fragment, kLanes> before = warp.fragments;
  const int count = warp.count;
  for (int i = 0; i < count; ++i) {
    const Fragment& f = before[static_cast<std::size_t>(i)];
    std::uint32_t go_on = 0;
    if (f.state == State::converge) go_on = converge(warp, f.block, 0);
    if (f.state == State::collective) go_on = collective(warp, f.block, 0);
    if (go_on != 0) warp.add_ready(program_.blocks[static_cast<std::size_t>(f.block)].next, go_on);
  }
  release_warp_barrier(warp);
  check_barriers();
}

}  // namespace kerlab::emu
