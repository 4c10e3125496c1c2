// What wgmma reads of shared memory, and registers that are touched while a wgmma may still write or read them. PTX
// ISA, "Asynchronous Warpgroup Level Matrix Instructions".

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/emu/handlers/wgmma_descriptor.h"
#include "device/emu/machine/place.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/sanitize/sanitizer.h"

namespace kerlab::emu {

using ptx::Opcode;

namespace {

/// Calls f(operand, slot) for the registers that an operation names, predicates aside.
template <class F>
void each_slot(const Op& op, F f) {
  const auto operands = std::min<int>(static_cast<int>(op.instruction->operands.size()), kOperands);
  for (int i = 0; i < operands; ++i) {
    if (op.width[i] == 1) continue;
    for (int j = 0; j < std::max<int>(op.count[i], 1); ++j) {
      const std::int32_t slot = op.count[i] == 0 ? op.slot[i] : op.list[op.slot[i] + j];
      if (slot < 0) continue;
      f(i, slot);
      if (op.width[i] == 64) f(i, slot + 1);
    }
  }
}

}  // namespace

namespace {

/// Bits of the matrix descriptor in operand 1 (A) or 2 (B) that mean nothing: who sets them likely means something.
std::uint64_t ignored_bits_of(const Warp& warp, const Op& op, int operand) {
  if (op.count[operand] != 0) return 0;  // A in registers
  std::uint64_t descriptor = 0;
  std::memcpy(&descriptor, warp.slots + std::int64_t{op.slot[operand]} * kLanes, sizeof descriptor);
  return ignored_bits(descriptor);
}

}  // namespace

/// Slices of a tile along k overlap as ranges: what the group reads already is not looked at again.
void Sanitizer::wgmma_issued(Warp& warp, const Op& op, std::uint32_t group, std::uint32_t begin, std::uint32_t end) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  if (own.operands_group != group) own.operands.clear();
  own.operands_group = group;
  const auto known = std::find_if(own.operands.begin(), own.operands.end(), [&](const OperandRange& range) {
    return begin >= range.begin && begin <= range.end;
  });
  if (known == own.operands.end()) {
    own.operands.push_back({begin, end});
  } else {
    begin = known->end;
    known->end = std::max(known->end, end);
  }
  if (begin >= end) return;
  Event event;
  event.warp = &warp;
  event.op = &op;
  event.shadow = &own;
  event.actor = own.actor + kWgmma;
  event.time = group + 1;
  event.site = infos_[index_of(op)].site;
  event.flags = kAsyncProxy;
  event.reads = true;
  event.mask = ~0u;
  access_range(shared_region(*warp.cta), begin, end - begin, event);
}

/// A group is the work of four warps together: whoever has waited for it knows that all four have read their part.
void Sanitizer::wgmma_waited(Warp& warp, std::uint32_t groups) {
  std::vector<WarpShadow>& warps = warp.cta->shadow->warps;
  WarpShadow& own = warps[warp.index];
  const std::size_t first = warp.index / 4 * 4;
  for (std::size_t w = first; w < std::min(first + 4, warps.size()); ++w)
    own.now.known.raise((warps[w].actor & kActorMask) + kWgmma, groups);
  own.waited = std::max(own.waited, groups);
}

/// Also says what is odd about its descriptors. D is written and A, if it comes from registers, is read until the group
/// has been waited for.
void Sanitizer::registers_taken(Warp& warp, const Op& op, std::uint32_t group) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  if (own.flying.empty()) own.flying.resize(static_cast<std::size_t>(program_.slots));
  check_fence(warp, op);
  own.last_flight = group + 1;
  for (int operand = 1; operand <= 2; ++operand) {
    const std::uint64_t ignored = ignored_bits_of(warp, op, operand);
    if (ignored == 0) continue;
    findings_.add(Hazard::other, op.instruction, nullptr, [&] {
      return fmt::format(
          "{} sets bits {:#x} of the descriptor of matrix {}, which mean nothing (reserved, or a base offset without a "
          "swizzle) and are ignored; {}, warp {}",
          op.instruction->text, ignored, operand == 1 ? 'A' : 'B', block_name(warp.cta->index), warp.index);
    });
  }
  for (int operand = 0; operand < 2; ++operand) {
    for (int j = 0; j < op.count[operand]; ++j) {
      const std::int32_t slot = op.list[op.slot[operand] + j];
      if (slot < 0) continue;
      FlyingSlot& flying = own.flying[static_cast<std::size_t>(slot)];
      (operand == 0 ? flying.written : flying.read) = group + 1;
      flying.op = &op;
      if (operand > 0) continue;
      flying.copied = false;
      flying.touched_by = nullptr;
    }
  }
}

/// By slot, which registers share.
void Sanitizer::find_makers_of_sums() {
  std::vector<bool> sums(static_cast<std::size_t>(program_.slots));
  const auto results_of = [](const Op& op, auto f) {
    const int results = ptx::results(*op.instruction);
    each_slot(op, [&](int operand, std::int32_t slot) {
      if (operand < results) f(static_cast<std::size_t>(slot));
    });
  };
  for (const Op& op : program_.ops) {
    if (op.instruction == nullptr || op.instruction->opcode != Opcode::wgmma_mma_async) continue;
    for (int j = 0; j < op.count[0]; ++j)
      if (const std::int32_t slot = op.list[op.slot[0] + j]; slot >= 0) sums[static_cast<std::size_t>(slot)] = true;
  }
  const auto makes = [&](const Op& op) {
    bool any = false;
    results_of(op, [&](std::size_t slot) { any |= sums[slot]; });
    return any;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Op& op : program_.ops) {
      if (op.instruction == nullptr || op.instruction->opcode != Opcode::mov || !makes(op)) continue;
      each_slot(op, [&](int, std::int32_t slot) {
        changed |= !sums[static_cast<std::size_t>(slot)];
        sums[static_cast<std::size_t>(slot)] = true;
      });
    }
  }
  for (const Op& op : program_.ops) {
    const bool other = op.instruction != nullptr && op.instruction->opcode != Opcode::wgmma_mma_async;
    makes_sums_[index_of(op)] = other && makes(op) ? 1 : 0;
  }
}

/// Who wrote what may become an accumulator, and whether before the last wgmma.fence; mov only takes it along.
void Sanitizer::note_sums(Warp& warp, const Op& op) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  if (own.flying.empty()) own.flying.resize(static_cast<std::size_t>(program_.slots));
  const bool move = op.instruction->opcode == Opcode::mov;
  FlyingSlot from;
  each_slot(op, [&](int operand, std::int32_t slot) {
    const FlyingSlot& source = own.flying[static_cast<std::size_t>(slot)];
    if (move && operand > 0 && source.touched_by != nullptr) from = source;
  });
  const int results = ptx::results(*op.instruction);
  each_slot(op, [&](int operand, std::int32_t slot) {
    if (operand >= results) return;
    FlyingSlot& to = own.flying[static_cast<std::size_t>(slot)];
    to.touched_by = move ? from.touched_by : &op;
    to.touched_at = move ? from.touched_at : own.fences + 1;
  });
}

/// PTX ISA, "wgmma.fence": before the first wgmma, and after other instructions have written registers of D.
void Sanitizer::check_fence(Warp& warp, const Op& op) {
  const WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const ptx::Instruction& at = *op.instruction;
  if (own.fences == 0) {
    findings_.add(Hazard::wgmma_in_flight, &at, nullptr, [&] {
      return fmt::format("{} ({}) is the warp's first wgmma, and no wgmma.fence comes before it; {}, warp {}", at.text,
                         findings_.place(&at), block_name(warp.cta->index), warp.index);
    });
    return;
  }
  for (int j = 0; j < op.count[0]; ++j) {
    const std::int32_t slot = op.list[op.slot[0] + j];
    if (slot < 0) continue;
    const FlyingSlot& sum = own.flying[static_cast<std::size_t>(slot)];
    if (sum.touched_by == nullptr || sum.touched_at <= own.fences) continue;
    const ptx::Instruction& other = *sum.touched_by->instruction;
    findings_.add(Hazard::wgmma_in_flight, &at, &other, [&] {
      return fmt::format(
          "{} ({}) accumulates in a register that {} ({}) has written, with no wgmma.fence between; {}, warp {}",
          at.text, findings_.place(&at), other.text, findings_.place(&other), block_name(warp.cta->index), warp.index);
    });
    return;
  }
}

void Sanitizer::find_touched(Warp& warp, const Op& op) {
  const ptx::Instruction& instruction = *op.instruction;
  if (instruction.opcode == Opcode::wgmma_mma_async) return;
  // What mov copies may have one place in the end: who uses the copy is to blame.
  if (instruction.opcode == Opcode::mov) return move_flight(warp, op);
  const int results = ptx::results(instruction);
  for (const bool writes : {false, true}) {
    each_slot(op, [&](int operand, std::int32_t slot) {
      if ((operand < results) == writes) touch_slot(warp, op, slot, writes);
    });
  }
}

/// The copy of a register in flight is in flight.
void Sanitizer::move_flight(Warp& warp, const Op& op) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  FlyingSlot from;
  each_slot(op, [&](int operand, std::int32_t slot) {
    const FlyingSlot& flying = own.flying[static_cast<std::size_t>(slot)];
    if (operand > 0 && flying.written > from.written) from = flying;
  });
  if (from.written <= own.waited) from = {};
  each_slot(op, [&](int operand, std::int32_t slot) {
    FlyingSlot& to = own.flying[static_cast<std::size_t>(slot)];
    if (operand > 0 || (to.written > own.waited && !to.copied)) return;
    to.written = from.written;
    to.op = from.op;
    to.copied = from.written != 0;
  });
}

void Sanitizer::touch_slot(Warp& warp, const Op& op, std::int32_t slot, bool writes) {
  WarpShadow& own = warp.cta->shadow->warps[warp.index];
  FlyingSlot& flying = own.flying[static_cast<std::size_t>(slot)];
  if (writes && flying.copied) {
    flying.written = 0;
    flying.copied = false;
  }
  if (flying.written <= own.waited && (!writes || flying.read <= own.waited)) return;
  const ptx::Instruction &at = *op.instruction, &other = *flying.op->instruction;
  findings_.add(Hazard::wgmma_in_flight, &at, &other, [&] {
    return fmt::format(
        "{} ({}) {} a register that {} ({}) still {}: wgmma.wait_group is missing before it; {}, warp "
        "{}",
        at.text, findings_.place(&at), writes ? "writes" : "reads", other.text, findings_.place(&other),
        flying.written > own.waited ? "accumulates in" : "reads as A", block_name(warp.cta->index), warp.index);
  });
}

}  // namespace kerlab::emu
