// Instructions that compute registers from registers: operands in, the right arithmetic, results out.

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Boolean;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

bool combine(Boolean boolean, bool a, bool b) {
  switch (boolean) {
    case Boolean::and_:
      return a && b;
    case Boolean::or_:
      return a || b;
    case Boolean::xor_:
      return a != b;
    default:
      return a;
  }
}

bool compare(const Instruction& in, Type type, u64 a, u64 b) {
  if (ptx::is_float(type)) return float_compare(in.modifiers.compare, a, b, format_of(type), in.modifiers.ftz);
  return integer_compare(in.modifiers.compare, a, b, type);
}

void run_setp(Block& block, Lane& lane, const Instruction& in, const u64* x, std::size_t sources) {
  const Type type = in.types[0];
  const bool c = sources > 2 && (x[2] & 1) != 0;
  bool first = false, second = false;
  if (is_packed(type)) {
    first = compare(in, element_of(type), x[0] & 0xffff, x[1] & 0xffff);
    second = compare(in, element_of(type), x[0] >> 16, x[1] >> 16);
  } else {
    first = compare(in, type, x[0], x[1]);
    second = !first;
  }
  set(block, lane, in.operands[0], combine(in.modifiers.boolean, first, c));
  if (in.has_second_result) set(block, lane, in.operands[1], combine(in.modifiers.boolean, second, c));
}

u64 true_value(Type type) {
  if (!ptx::is_float(type)) return low(~0ull, ptx::bits(type));
  const Format f = format_of(type);
  return static_cast<u64>(f.bias()) << f.m;  // 1.0
}

u64 run_set(const Instruction& in, const u64* x, std::size_t sources) {
  const Type to = in.types[0], from = in.types[1];
  const bool c = sources > 2 && (x[2] & 1) != 0;
  const auto one = [&](u64 a, u64 b, Type part) {
    return combine(in.modifiers.boolean, compare(in, element_of(from), a, b), c) ? true_value(part) : 0;
  };
  if (!is_packed(from)) return one(x[0], x[1], to);
  const Type part = is_packed(to) ? element_of(to) : Type::u16;
  return one(x[0] & 0xffff, x[1] & 0xffff, part) | one(x[0] >> 16, x[1] >> 16, part) << 16;
}

u64 run_slct(const Instruction& in, const u64* x) {
  if (in.types[1] == Type::f32)
    return float_compare(ptx::Compare::ge, x[2], 0, kSingle, in.modifiers.ftz) ? x[0] : x[1];
  return extend(x[2], 32) >= 0 ? x[0] : x[1];
}

/// mov between a register and a vector of parts.
void run_mov(Block& block, Lane& lane, const Instruction& in) {
  const Operand &to = in.operands[0], &from = in.operands[1];
  const int n = ptx::bits(in.types[0]);
  if (from.kind == ptx::OperandKind::vector) {
    u64 value = 0;
    const int part = n / from.count;
    for (int i = 0; i < from.count; ++i)
      value |= low(value_of(block, lane, element(block, from, i)), part) << (i * part);
    set(block, lane, to, value);
  } else if (to.kind == ptx::OperandKind::vector) {
    const u64 value = value_of(block, lane, from);
    for (int i = 0; i < to.count; ++i) set(block, lane, element(block, to, i), value >> (i * (n / to.count)));
  } else {
    set(block, lane, to, value_of(block, lane, from));
  }
}

bool is_approximate(const Instruction& in) {
  switch (in.opcode) {
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return true;
    default:
      return in.modifiers.approx || in.modifiers.full;
  }
}

/// One value of type `type`, or two halves packed.
u64 compute(Lane& lane, const Instruction& in, Type type, const u64* x) {
  const auto one = [&](const Instruction& what, Type t, const u64* operands) {
    if (!ptx::is_float(t)) return integer_operation(what, operands, lane.carry);
    return is_approximate(what) ? approximation(what, t, operands) : float_operation(what, t, operands);
  };
  if (!is_packed(type)) return one(in, type, x);
  Instruction half = in;
  for (Type& t : half.types) t = element_of(t);
  u64 result = 0;
  for (int i = 0; i < 2; ++i) {
    u64 part[4] = {};
    for (int k = 0; k < 4; ++k) part[k] = x[k] >> (16 * i) & 0xffff;
    result |= low(one(half, element_of(type), part), 16) << (16 * i);
  }
  return result;
}

bool is_computation(Opcode opcode) {
  return (opcode >= Opcode::add && opcode <= Opcode::shr) || (opcode >= Opcode::testp && opcode <= Opcode::tanh) ||
         opcode == Opcode::prmt;
}

}  // namespace

bool run_scalar(Block& block, Lane& lane, const Instruction& in) {
  if (in.opcode == Opcode::mov) {
    run_mov(block, lane, in);
    return true;
  }
  const std::size_t results = in.has_second_result ? 2 : 1;
  u64 x[6] = {};
  std::size_t sources = 0;
  for (std::size_t i = results; i < in.operands.size() && sources < 6; ++i)
    x[sources++] = value_of(block, lane, in.operands[i]);
  u64 result = 0;
  switch (in.opcode) {
    case Opcode::setp:
      run_setp(block, lane, in, x, sources);
      return true;
    case Opcode::set:
      result = run_set(in, x, sources);
      break;
    case Opcode::selp:
      result = (x[2] & 1) != 0 ? x[0] : x[1];
      break;
    case Opcode::slct:
      result = run_slct(in, x);
      break;
    case Opcode::cvt:
      result = convert(in, x, width(block, in.operands[0]));
      break;
    default:
      if (!is_computation(in.opcode)) return false;
      if (in.types[0] == Type::pred) {
        result = in.opcode == Opcode::and_   ? x[0] & x[1]
                 : in.opcode == Opcode::or_  ? x[0] | x[1]
                 : in.opcode == Opcode::xor_ ? x[0] ^ x[1]
                                             : ~x[0];
      } else {
        result = compute(lane, in, in.types[0], x);
      }
  }
  set(block, lane, in.operands[0], result);
  if (in.opcode == Opcode::lop3 && in.has_second_result)
    set(block, lane, in.operands[1], combine(in.modifiers.boolean, low(result, 32) != 0, (x[4] & 1) != 0));
  return true;
}

}  // namespace kerlab::oracle
