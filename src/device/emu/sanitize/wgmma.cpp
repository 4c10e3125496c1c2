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
    }
  }
}

void Sanitizer::find_touched(Warp& warp, const Op& op) {
  const ptx::Instruction& instruction = *op.instruction;
  // What mov copies may have one place in the end.
  if (instruction.opcode == Opcode::wgmma_mma_async || instruction.opcode == Opcode::mov) return;
  const int results = ptx::results(instruction);
  const auto operands = std::min<int>(static_cast<int>(instruction.operands.size()), kOperands);
  for (int i = 0; i < operands; ++i) {
    if (op.width[i] == 1) continue;
    for (int j = 0; j < std::max<int>(op.count[i], 1); ++j) {
      const std::int32_t slot = op.count[i] == 0 ? op.slot[i] : op.list[op.slot[i] + j];
      if (slot < 0) continue;
      touch_slot(warp, op, slot, i < results);
      if (op.width[i] == 64) touch_slot(warp, op, slot + 1, i < results);
    }
  }
}

void Sanitizer::touch_slot(Warp& warp, const Op& op, std::int32_t slot, bool writes) {
  const WarpShadow& own = warp.cta->shadow->warps[warp.index];
  const FlyingSlot& flying = own.flying[static_cast<std::size_t>(slot)];
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
