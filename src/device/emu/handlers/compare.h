#pragma once
// What comparisons of all types share: p = (a op b) boolop c, q = !(a op b) boolop c, and set's result in a register.

#include "device/emu/handlers/kinds.h"

namespace kerlab::emu::KERLAB_ISA {

/// Bit per lane: Comparison::apply(operand first, operand first + 1).
template <class K, class Comparison>
KERLAB_INLINE u32 compare_lanes(Warp& warp, const Op& op, int first) {
  using Raw = typename K::Raw;
  const u32* const a = slot_of(warp, op.slot[first]);
  const u32* const b = slot_of(warp, op.slot[first + 1]);
  u32 bits = 0;
  KERLAB_UNROLL
  for (int strip = 0; strip < kStrips<Raw>; ++strip) {
    bits |= pack(Comparison::apply(K::in(load<Raw>(a, strip)), K::in(load<Raw>(b, strip))), strip);
  }
  return bits;
}

/// `bits` boolop operand `operand`.
inline u32 combine(ptx::Boolean boolean, u32 bits, const Warp& warp, const Op& op, int operand) {
  switch (boolean) {
    case ptx::Boolean::and_:
      return bits & read_predicate(warp, op, operand);
    case ptx::Boolean::or_:
      return bits | read_predicate(warp, op, operand);
    case ptx::Boolean::xor_:
      return bits ^ read_predicate(warp, op, operand);
    case ptx::Boolean::none:
      break;
  }
  return bits;
}

/// setp as nearly all are: one result, no further predicate.
template <class K, class Comparison>
void set_predicate(Warp& warp, const Op& op, u32 mask) {
  write_predicate(warp, op.slot[0], compare_lanes<K, Comparison>(warp, op, 1), mask);
}
/// setp p|q, a, b, c: the rare forms are told apart when they run, once for 32 lanes.
template <class K, class Comparison>
void set_predicates(Warp& warp, const Op& op, u32 mask) {
  const bool two = op.instruction->has_second_result;
  const int first = two ? 2 : 1;
  const ptx::Boolean boolean = op.instruction->modifiers.boolean;
  const u32 bits = compare_lanes<K, Comparison>(warp, op, first);
  const u32 p = combine(boolean, bits, warp, op, first + 2);
  const u32 q = combine(boolean, ~bits, warp, op, first + 2);
  write_predicate(warp, op.slot[0], p, mask);
  if (two) write_predicate(warp, op.second, q, mask);
}

/// What set writes where the comparison holds: all ones, or one.
inline u32 true_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::u32:
    case ptx::Type::s32:
    case ptx::Type::b32:
      return ~0u;
    case ptx::Type::u16:
    case ptx::Type::s16:
    case ptx::Type::b16:
      return 0xffffu;
    case ptx::Type::f32:
      return 0x3f800000u;
    case ptx::Type::f16:
      return 0x3c00u;
    case ptx::Type::bf16:
      return 0x3f80u;
    default:
      return 0;
  }
}
template <class K, class Comparison>
void set_register(Warp& warp, const Op& op, u32 mask) {
  u32 bits = compare_lanes<K, Comparison>(warp, op, 1);
  bits = combine(op.instruction->modifiers.boolean, bits, warp, op, 3);
  const u32 when_true = true_of(op.instruction->types.data()[0]);
  u32* const d = slot_of(warp, op.slot[0]);
  for (int strip = 0; strip < 4; ++strip) {
    store<u32x8>(d, strip, as<u32x8>(expand<u32x8>(bits, strip)) & when_true, mask);
  }
}

/// The handler of a setp or set whose operands are of kind K.
template <class K, class Comparison>
Handler comparison(const ptx::Instruction& instruction) {
  if (instruction.opcode == ptx::Opcode::set) {
    return true_of(type_at(instruction, 0)) != 0 ? set_register<K, Comparison> : nullptr;
  }
  const bool plain = !instruction.has_second_result && instruction.modifiers.boolean == ptx::Boolean::none;
  return plain ? set_predicate<K, Comparison> : set_predicates<K, Comparison>;
}

}  // namespace kerlab::emu::KERLAB_ISA
