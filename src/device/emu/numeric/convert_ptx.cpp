#include "device/emu/numeric/convert_ptx.h"

#include "device/emu/ptx/ir.h"

namespace kerlab::emu::numeric {
namespace {

using ptx::Type;

/// False for a type that cvt does not take. `pair`: two of `value`.
bool taken_apart(Type type, Value& value, bool& pair) {
  pair = type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 || type == Type::e5m2x2;
  switch (type) {
    case Type::u8:
      value = Value::u8;
      return true;
    case Type::s8:
      value = Value::s8;
      return true;
    case Type::u16:
      value = Value::u16;
      return true;
    case Type::s16:
      value = Value::s16;
      return true;
    case Type::u32:
      value = Value::u32;
      return true;
    case Type::s32:
      value = Value::s32;
      return true;
    case Type::u64:
      value = Value::u64;
      return true;
    case Type::s64:
      value = Value::s64;
      return true;
    case Type::f16:
    case Type::f16x2:
      value = Value::f16;
      return true;
    case Type::bf16:
    case Type::bf16x2:
      value = Value::bf16;
      return true;
    case Type::tf32:
      value = Value::tf32;
      return true;
    case Type::f32:
      value = Value::f32;
      return true;
    case Type::f64:
      value = Value::f64;
      return true;
    case Type::e4m3x2:
      value = Value::e4m3;
      return true;
    case Type::e5m2x2:
      value = Value::e5m2;
      return true;
    default:
      return false;
  }
}

/// To an integer without a mode: to zero; else to nearest even, which exact conversions do not use.
Round rounding(ptx::Rounding rounding) {
  switch (rounding) {
    case ptx::Rounding::rz:
    case ptx::Rounding::rzi:
      return Round::zero;
    case ptx::Rounding::rm:
    case ptx::Rounding::rmi:
      return Round::down;
    case ptx::Rounding::rp:
    case ptx::Rounding::rpi:
      return Round::up;
    case ptx::Rounding::rna:
      return Round::nearest_away;
    default:
      return Round::nearest_even;
  }
}
bool is_integral(ptx::Rounding rounding) {
  return rounding == ptx::Rounding::rni || rounding == ptx::Rounding::rzi || rounding == ptx::Rounding::rmi ||
         rounding == ptx::Rounding::rpi;
}

}  // namespace

bool plan_conversion(const ptx::Instruction& instruction, ConversionPlan& plan) {
  const ptx::Modifiers& m = instruction.modifiers;
  if (instruction.opcode != ptx::Opcode::cvt || instruction.types.size() != 2) return false;
  Conversion& c = plan.one;
  bool from_pair = false;
  if (!taken_apart(instruction.types[0], c.to, plan.pair) || !taken_apart(instruction.types[1], c.from, from_pair)) {
    return false;
  }
  plan.two_sources = instruction.operands.size() == 3;
  if (plan.pair ? plan.two_sources == from_pair : from_pair || instruction.operands.size() != 2) return false;
  if (c.from == Value::tf32) return false;
  if (plan.two_sources && c.from != Value::f32) return false;
  c.round = rounding(m.rounding);
  c.to_integral = is_integral(m.rounding);
  c.saturate = m.sat;
  c.satfinite = m.satfinite;
  c.relu = m.relu;
  c.flush = m.ftz;
  return true;
}

}  // namespace kerlab::emu::numeric
