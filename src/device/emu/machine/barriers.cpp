// The named barriers of a block: PTX ISA, section "bar, barrier". Threads arrive one by one, as from sm_70 on; those
// that have exited are not waited for. A thread count is made of whole warps: the last, partial warp counts as a whole
// one.

#include <fmt/format.h>

#include "device/emu/machine/block_runner.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {
namespace {

/// bar{.red} (d,) a(, b)(, p): where the operands are.
struct BarrierOperands {
  int id = 0, count = -1, predicate = -1;
};

BarrierOperands operands_of(const ptx::Instruction& instruction) {
  const int n = static_cast<int>(instruction.operands.size());
  if (!instruction.modifiers.reduce) return {0, n > 1 ? 1 : -1, -1};
  return {1, n > 3 ? 2 : -1, n - 1};
}

std::uint32_t predicate_of(const Warp& warp, const Op& op, int operand) {
  return warp.predicates[op.slot[operand]] ^ ((op.negated >> operand & 1) != 0 ? ~0u : 0u);
}

bool reduction_result(const Barrier& barrier, ptx::Boolean boolean) {
  return boolean == ptx::Boolean::and_ ? barrier.trues == barrier.voters : barrier.trues > 0;
}

void write_result(const WarpState& warp, const Op& op, std::uint32_t lanes, const Barrier& barrier) {
  const ptx::Boolean boolean = op.instruction->modifiers.boolean;
  if (boolean == ptx::Boolean::none) {
    std::uint32_t* const slot = warp.slots + std::ptrdiff_t{op.slot[0]} * kLanes;
    for_lanes(lanes, [&](int lane) { slot[lane] = static_cast<std::uint32_t>(barrier.trues); });
    return;
  }
  std::uint32_t& predicate = warp.predicates[op.slot[0]];
  predicate = reduction_result(barrier, boolean) ? predicate | lanes : predicate & ~lanes;
}

}  // namespace

/// Lanes of one warp may name different barriers: each set arrives by itself. Returns those that do not wait.
std::uint32_t BlockRunner::barrier(WarpState& warp, std::int32_t at, std::uint32_t lanes) {
  const Block& block = program_.blocks[static_cast<std::size_t>(at)];
  const Op& op = *block.op;
  const BarrierOperands operands = operands_of(*op.instruction);
  const auto value = [&](int operand, int lane) {
    return operand < 0 ? 0 : static_cast<int>(warp.slots[std::ptrdiff_t{op.slot[operand]} * kLanes + lane]);
  };
  const std::uint32_t active = guarded(warp, block, lanes);
  for (std::uint32_t left = active; left != 0;) {
    const int first = __builtin_ctz(left);
    const int id = value(operands.id, first);
    const int expected = value(operands.count, first);
    std::uint32_t group = 0;
    for_lanes(left, [&](int lane) {
      if (value(operands.id, lane) == id && value(operands.count, lane) == expected) group |= 1u << lane;
    });
    left &= ~group;
    if (!op.instruction->modifiers.arrive) warp.add_waiting(at, group, State::barrier, id);
    arrive(warp, op, group, id, expected);
    if (operands.predicate >= 0) {
      barriers_[id].voters += popcount(group);
      barriers_[id].trues += popcount(predicate_of(warp, op, operands.predicate) & group);
    }
    if (complete(barriers_[id])) {
      release(id);
    } else if (!op.instruction->modifiers.arrive) {
      count_wait(cta_, op);
    }
  }
  return op.instruction->modifiers.arrive ? lanes : lanes & ~active;
}

void BlockRunner::arrive(WarpState& warp, const Op& op, std::uint32_t lanes, int id, int expected) {
  const int lane = __builtin_ctz(lanes);
  if (id < 0 || id >= kBarriers) raise(FaultKind::launch_failed, warp, op, lane, "names a barrier beyond 15");
  if (expected % kLanes != 0) {
    raise(FaultKind::launch_failed, warp, op, lane, "has a thread count that is not a multiple of the warp size");
  }
  Barrier& barrier = barriers_[id];
  if (!barrier.active) {
    barrier.active = true;
    barrier.expected = expected;
    barrier.trues = barrier.voters = 0;
    barrier.arrived.assign(warps_.size(), 0);
    ++active_barriers_;
  } else if (barrier.expected != expected) {
    const int all = static_cast<int>(warps_.size()) * kLanes;
    if ((barrier.expected == 0 ? all : barrier.expected) != (expected == 0 ? all : expected)) {
      raise(FaultKind::launch_failed, warp, op, lane, "gives another thread count than those that wait there");
    }
  }
  barrier.arrived[warp.index] |= lanes;
  if (Sanitizer* const sanitizer = cta_.launch->sanitizer) sanitizer->arrive(warp, op, id, lanes);
  cta_.counts.barriers++;
}

bool BlockRunner::complete(const Barrier& barrier) const {
  int arrived = 0;
  for (const WarpState& warp : warps_) {
    const std::uint32_t lanes = barrier.arrived[warp.index];
    const bool whole = (warp.live & ~lanes) == 0;
    if (barrier.expected == 0 && !whole) return false;
    if (lanes != 0) arrived += whole ? kLanes : popcount(lanes);
  }
  return barrier.expected == 0 || arrived >= barrier.expected;
}

void BlockRunner::release(int id) {
  Barrier& barrier = barriers_[id];
  barrier.active = false;
  --active_barriers_;
  Sanitizer* const sanitizer = cta_.launch->sanitizer;
  for (WarpState& warp : warps_) {
    for (int i = 0; i < warp.count; ++i) {
      const Fragment f = warp.fragments[static_cast<std::size_t>(i)];
      if (f.state != State::barrier || f.barrier != id) continue;
      const Block& block = program_.blocks[static_cast<std::size_t>(f.block)];
      if (block.op->instruction->modifiers.reduce) write_result(warp, *block.op, f.lanes, barrier);
      if (sanitizer != nullptr) sanitizer->pass(warp, id);
      warp.remove(i);
      warp.add_ready(block.next, f.lanes);
      if (f.lanes == warp.live) warp.meet(f.lanes);
      i = -1;  // fragments have moved
    }
  }
  if (sanitizer != nullptr) sanitizer->reset(cta_, id);
}

/// After lanes have exited: nobody waits for them.
void BlockRunner::check_barriers() {
  if (active_barriers_ == 0) return;
  for (int id = 0; id < kBarriers; ++id) {
    if (barriers_[id].active && complete(barriers_[id])) release(id);
  }
}

}  // namespace kerlab::emu
