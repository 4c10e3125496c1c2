// The instructions that change mbarriers, lane by lane: operands as in ptx::Instruction.

#include "device/emu/async/cluster.h"
#include "device/emu/async/mbarrier.h"
#include "device/emu/handlers/async_copies.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;

constexpr std::uint32_t kObjectBytes = 8;

SharedPlace place_at(const Issuer& who, int operand) {
  return shared_place(who, operand, reach_of(*who.op->instruction), kObjectBytes, kObjectBytes);
}

void init(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [](const Issuer& who) { init_mbarrier(who, place_at(who, 0), lane_value(who, 1)); });
}

void invalidate(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [](const Issuer& who) { invalidate_mbarrier(who, place_at(who, 0)); });
}

Arrival arrival_of(const Issuer& who) {
  const ptx::Instruction& instruction = *who.op->instruction;
  Arrival arrival;
  arrival.drop = instruction.opcode == Opcode::mbarrier_arrive_drop;
  arrival.no_complete = instruction.modifiers.no_complete;
  if (instruction.operands.size() <= 2) return arrival;
  if (instruction.modifiers.expect_tx) {
    arrival.transactions = lane_value(who, 2);
  } else {
    arrival.count = static_cast<std::uint32_t>(lane_value(who, 2));
  }
  return arrival;
}

/// A warp that arrives once by lane at one mbarrier, nobody wanting the states: the same at once, if it is one phase.
/// The sanitizer is told lane by lane.
bool arrive_together(const Issuer& first, std::uint32_t mask) {
  const bool plain = first.op->instruction->operands.size() <= 2 && first.op->slot[0] < 0;
  if (!plain || first.warp->cta->launch->sanitizer != nullptr || alike(first, 1, mask) != mask) return false;
  Arrival arrival = arrival_of(first);
  const SharedPlace at = place_at(first, 1);
  arrival.count = static_cast<std::uint32_t>(__builtin_popcount(mask));
  if (arrival.count > missing_arrivals(first, at)) return false;
  arrive(first, at, arrival);
  return true;
}

/// The block whose mbarrier it is waits for bytes.
void note_bytes(const SharedPlace& at, std::uint64_t bytes) {
  if (at.block->launch->count) at.block->pipeline.expect(at.offset, static_cast<std::int64_t>(bytes));
}

void arrive_at(Warp& warp, const Op& op, std::uint32_t mask) {
  warp.cta->counts.barriers++;
  if (arrive_together({&warp, &op, __builtin_ctz(mask)}, mask)) return;
  each_lane(warp, op, mask, [](const Issuer& who) {
    const SharedPlace at = place_at(who, 1);
    const Arrival arrival = arrival_of(who);
    if (who.op->instruction->modifiers.expect_tx) note_bytes(at, arrival.transactions);
    write_result(who, arrive(who, at, arrival));
  });
}

void expect(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [](const Issuer& who) {
    const SharedPlace at = place_at(who, 0);
    const std::uint64_t bytes = lane_value(who, 1);
    note_bytes(at, bytes);
    expect_transactions(who, at, bytes);
  });
}

void complete(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask,
            [](const Issuer& who) { complete_transactions(who, place_at(who, 0), lane_value(who, 1)); });
}

void pending_count(Warp& warp, const Op& op, std::uint32_t mask) {
  each_lane(warp, op, mask, [](const Issuer& who) {
    const std::optional<MbarrierState> state = MbarrierState::unpack(lane_value(who, 1));
    if (!state) {
      raise(FaultKind::launch_failed, *who.warp, *who.op, who.lane, "is asked of a value that is no mbarrier's state");
    }
    write_result(who, state->pending);
  });
}

/// The arrival of lanes at one mbarrier, when their copies have been done.
void arrive_after_copies(Warp& warp, const Op& op, std::uint32_t mask) {
  while (mask != 0) {
    const Issuer first{&warp, &op, __builtin_ctz(mask)};
    const SharedPlace at = place_at(first, 0);
    BulkCopy arrival;
    each_lane(warp, op, mask, [&](const Issuer& who) {
      if (place_at(who, 0) == at) arrival.lanes |= 1u << who.lane;
    });
    mask &= ~arrival.lanes;
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(arrival.lanes));
    expect_arrivals(first, at, op.instruction->modifiers.noinc ? 0 : count);
    arrival.op = &op;
    arrival.rank = warp.cta->rank;
    arrival.warp = warp.index;
    arrival.lane = static_cast<std::uint32_t>(first.lane);
    arrival.kind = BulkKind::arrival;
    arrival.targets = 1u << warp.cta->rank;
    arrival.on_mbarrier = true;
    arrival.mbarrier = at.offset;
    arrival.cp_async = warp.async;
    arrival.sequence = warp.async == nullptr ? 0 : warp.async->issued;
    issue(*warp.cta->cluster, arrival);
  }
  warp.cta->counts.barriers++;
}

}  // namespace

Handler select_mbarrier(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::mbarrier_init:
      return init;
    case Opcode::mbarrier_inval:
      return invalidate;
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
      return arrive_at;
    case Opcode::mbarrier_expect_tx:
      return expect;
    case Opcode::mbarrier_complete_tx:
      return complete;
    case Opcode::mbarrier_pending_count:
      return pending_count;
    case Opcode::cp_async_mbarrier_arrive:
      return arrive_after_copies;
    default:
      return nullptr;
  }
}

}  // namespace kerlab::emu
