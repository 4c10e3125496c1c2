// Integer, logic and bit instructions of one value, from the PTX ISA sections "Integer Arithmetic Instructions",
// "Extended-Precision Integer Arithmetic Instructions" and "Logic and Shift Instructions".

#include <algorithm>
#include <bit>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Part;
using ptx::PermuteMode;
using ptx::Type;

namespace {

/// A value as the mathematical integer that its type says.
i128 number(u64 bits, Type type) {
  const int n = ptx::bits(type);
  return ptx::is_signed(type) ? static_cast<i128>(extend(bits, n)) : static_cast<i128>(low(bits, n));
}

u64 clamped(i128 x, int bits) {
  const i128 most = (i128{1} << (bits - 1)) - 1;
  return low(static_cast<u64>(std::clamp(x, -most - 1, most)), bits);
}

u64 add_with_carry(const Instruction& in, u64 a, u64 b, u64 c, bool& carry) {
  const int n = ptx::bits(in.types[0]);
  const u128 sum = static_cast<u128>(low(a, n)) + low(b, n) + c;
  if (in.modifiers.carry_out) carry = (sum >> n & 1) != 0;
  return low(static_cast<u64>(sum), n);
}

u64 subtract_with_borrow(const Instruction& in, u64 a, u64 b, u64 c, bool& carry) {
  const int n = ptx::bits(in.types[0]);
  const u128 difference = static_cast<u128>(low(a, n)) - low(b, n) - c;
  if (in.modifiers.carry_out) carry = (difference >> n & 1) == 0;  // the flag is 1 when nothing was borrowed
  return low(static_cast<u64>(difference), n);
}

/// The part of a product that .lo, .hi or .wide keeps. A 64-bit product of unsigned numbers fills all 128 bits.
u64 product(const Instruction& in, u64 a, u64 b) {
  const Type type = in.types[0];
  const int n = ptx::bits(type);
  const auto full = static_cast<u128>(number(a, type)) * static_cast<u128>(number(b, type));
  switch (in.modifiers.part) {
    case Part::hi:
      return low(static_cast<u64>(full >> n), n);
    case Part::wide:
      return low(static_cast<u64>(full), 2 * n);
    default:
      return low(static_cast<u64>(full), n);
  }
}

u64 product24(const Instruction& in, u64 a, u64 b) {
  const bool is_signed = ptx::is_signed(in.types[0]);
  const i64 x = is_signed ? extend(a, 24) : static_cast<i64>(low(a, 24));
  const i64 y = is_signed ? extend(b, 24) : static_cast<i64>(low(b, 24));
  const i64 full = x * y;
  return low(static_cast<u64>(in.modifiers.part == Part::hi ? full >> 16 : full), 32);
}

u64 multiply_add(const Instruction& in, const u64* x, bool& carry) {
  const Type type = in.types[0];
  const int n = ptx::bits(type);
  const bool is24 = in.opcode == Opcode::mad24;
  const u64 p = is24 ? product24(in, x[0], x[1]) : product(in, x[0], x[1]);
  if (in.modifiers.sat) return clamped(static_cast<i128>(extend(p, 32)) + extend(x[2], 32), 32);
  if (in.modifiers.part == Part::wide) return low(p + x[2], 2 * n);
  return add_with_carry(in, p, x[2], in.opcode == Opcode::madc && carry ? 1 : 0, carry);
}

/// Division by zero is not defined; what is here is what an H200 does.
u64 divide(const Instruction& in, u64 a, u64 b) {
  const Type type = in.types[0];
  const int n = ptx::bits(type);
  const i128 x = number(a, type), y = number(b, type);
  const bool quotient = in.opcode == Opcode::div;
  if (y == 0) return low(~0ull, n);
  return low(static_cast<u64>(quotient ? x / y : x % y), n);
}

u64 dot_product(const Instruction& in, const u64* x) {
  const bool signed_a = ptx::is_signed(in.types[0]), signed_b = ptx::is_signed(in.types[1]);
  const auto part = [](u64 word, int index, int bits, bool is_signed) {
    const u64 field = low(word >> (index * bits), bits);
    return is_signed ? extend(field, bits) : static_cast<i64>(field);
  };
  i64 sum = static_cast<i64>(x[2]);
  if (in.opcode == Opcode::dp4a) {
    for (int i = 0; i < 4; ++i) sum += part(x[0], i, 8, signed_a) * part(x[1], i, 8, signed_b);
  } else {
    const int first = in.modifiers.part == Part::hi ? 2 : 0;
    for (int i = 0; i < 2; ++i) sum += part(x[0], i, 16, signed_a) * part(x[1], first + i, 8, signed_b);
  }
  return low(static_cast<u64>(sum), 32);
}

u64 find_most_significant(const Instruction& in, u64 a) {
  const int n = ptx::bits(in.types[0]);
  a = low(a, n);
  if (ptx::is_signed(in.types[0]) && extend(a, n) < 0) a = low(~a, n);
  for (int i = n - 1; i >= 0; --i)
    if ((a >> i & 1) != 0) return static_cast<u64>(in.modifiers.shift_amount ? n - 1 - i : i);
  return 0xffffffff;
}

u64 find_nth_set(const u64* x) {
  const u32 mask = static_cast<u32>(x[0]), base = static_cast<u32>(x[1]);
  const i64 offset = extend(x[2], 32);
  if (offset == -(1ll << 31)) return 0;  // not defined; as an H200 does
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : 0xffffffff;
  i64 left = (offset < 0 ? -offset : offset) - 1;
  for (i64 at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if ((mask >> at & 1) == 0) continue;
    if (left-- == 0) return static_cast<u64>(at);
  }
  return 0xffffffff;
}

/// Positions and lengths have 8 bits, says the document; of 64-bit instructions an H200 looks at all 32.
int field_operand(u64 value, int bits) {
  return static_cast<int>(bits == 64 ? std::min<u64>(low(value, 32), 255) : value & 0xff);
}

u64 extract_field(const Instruction& in, const u64* x) {
  const int n = ptx::bits(in.types[0]), at = field_operand(x[1], n), length = field_operand(x[2], n);
  const u64 a = low(x[0], n);
  const bool fill = ptx::is_signed(in.types[0]) && length != 0 && (a >> std::min(at + length - 1, n - 1) & 1) != 0;
  u64 result = 0;
  for (int i = 0; i < n; ++i) {
    const u64 bit = i < length && at + i < n ? a >> (at + i) & 1 : u64{fill};
    result |= bit << i;
  }
  return result;
}

u64 insert_field(const Instruction& in, const u64* x) {
  const int n = ptx::bits(in.types[0]), at = field_operand(x[2], n), length = field_operand(x[3], n);
  u64 result = low(x[1], n);
  for (int i = 0; i < length && at + i < n && i < n; ++i)
    result = (result & ~(1ull << (at + i))) | (x[0] >> i & 1) << (at + i);
  return result;
}

u64 bit_mask(const Instruction& in, const u64* x) {
  const u64 at = low(x[0], 32), count = low(x[1], 32);
  const u64 a = at & 31, b = count & 31;
  const bool clamp = in.modifiers.clamp;
  const u64 from = clamp && at >= 32 ? 0 : low(~0ull << a, 32);
  const u64 beyond = a + b >= 32 || (clamp && count >= 32) ? 0 : low(~0ull << (a + b), 32);
  return from & low(~beyond, 32);
}

u64 extend_field(const Instruction& in, const u64* x) {
  const u64 a = low(x[0], 32), count = low(x[1], 32), b = count & 31;
  if (in.modifiers.clamp && count >= 32) return a;
  const u64 kept = low(a, static_cast<int>(b));
  if (!ptx::is_signed(in.types[0]) || b == 0) return kept;
  return low(static_cast<u64>(extend(kept, static_cast<int>(b))), 32);
}

u64 permute(const Instruction& in, const u64* x) {
  const u64 bytes = low(x[0], 32) | x[1] << 32;
  const auto byte = [&](u64 i) { return bytes >> (8 * i) & 0xff; };
  const u64 c = x[2], n = c & 3;
  u64 result = 0;
  for (u64 i = 0; i < 4; ++i) {
    u64 b = 0;
    switch (in.modifiers.permute) {
      case PermuteMode::f4e:
        b = byte(n + i);
        break;
      case PermuteMode::b4e:
        b = byte((n - i) & 7);
        break;
      case PermuteMode::rc8:
        b = byte(n);
        break;
      case PermuteMode::ecl:
        b = byte(std::max(i, n));
        break;
      case PermuteMode::ecr:
        b = byte(std::min(i, n));
        break;
      case PermuteMode::rc16:
        b = byte((n & 1) * 2 + (i & 1));
        break;
      default: {
        const u64 selector = c >> (4 * i) & 0xf;
        b = byte(selector & 7);
        if ((selector & 8) != 0) b = (b & 0x80) != 0 ? 0xff : 0;
      }
    }
    result |= b << (8 * i);
  }
  return result;
}

u64 shift(const Instruction& in, u64 a, u64 amount) {
  const Type type = in.types[0];
  const int n = ptx::bits(type);
  amount = std::min<u64>(low(amount, 32), static_cast<u64>(n));
  a = low(a, n);
  if (in.opcode == Opcode::shl) return amount >= static_cast<u64>(n) ? 0 : low(a << amount, n);
  if (!ptx::is_signed(type)) return amount >= static_cast<u64>(n) ? 0 : a >> amount;
  return low(static_cast<u64>(extend(a, n) >> std::min<u64>(amount, static_cast<u64>(n) - 1)), n);
}

u64 funnel_shift(const Instruction& in, const u64* x) {
  const u64 amount = in.modifiers.wrap ? x[2] & 31 : std::min<u64>(low(x[2], 32), 32);
  const u64 both = low(x[0], 32) | x[1] << 32;
  return low(in.modifiers.right ? (amount == 64 ? 0 : both >> amount) : amount == 32 ? both : both << amount >> 32, 32);
}

u64 look_up(const u64* x) {
  u64 result = 0;
  for (int i = 0; i < 32; ++i) {
    const u64 index = (x[0] >> i & 1) << 2 | (x[1] >> i & 1) << 1 | (x[2] >> i & 1);
    result |= (x[3] >> index & 1) << i;
  }
  return result;
}

}  // namespace

bool integer_compare(Compare compare, u64 a, u64 b, Type type) {
  const bool as_unsigned = compare >= Compare::lo && compare <= Compare::hs;
  const int n = ptx::bits(type);
  const i128 x = as_unsigned ? static_cast<i128>(low(a, n)) : number(a, type);
  const i128 y = as_unsigned ? static_cast<i128>(low(b, n)) : number(b, type);
  switch (compare) {
    case Compare::eq:
      return x == y;
    case Compare::ne:
      return x != y;
    case Compare::lt:
    case Compare::lo:
      return x < y;
    case Compare::le:
    case Compare::ls:
      return x <= y;
    case Compare::gt:
    case Compare::hi:
      return x > y;
    default:
      return x >= y;
  }
}

u64 integer_operation(const Instruction& in, const u64* x, bool& carry) {
  const Type type = in.types[0];
  const int n = ptx::bits(type);
  const i128 a = number(x[0], type), b = number(x[1], type);
  switch (in.opcode) {
    case Opcode::add:
      return in.modifiers.sat ? clamped(a + b, n) : add_with_carry(in, x[0], x[1], 0, carry);
    case Opcode::addc:
      return add_with_carry(in, x[0], x[1], carry ? 1 : 0, carry);
    case Opcode::sub:
      return in.modifiers.sat ? clamped(a - b, n) : subtract_with_borrow(in, x[0], x[1], 0, carry);
    case Opcode::subc:
      return subtract_with_borrow(in, x[0], x[1], carry ? 0 : 1, carry);
    case Opcode::mul:
      return product(in, x[0], x[1]);
    case Opcode::mul24:
      return product24(in, x[0], x[1]);
    case Opcode::mad:
    case Opcode::madc:
    case Opcode::mad24:
      return multiply_add(in, x, carry);
    case Opcode::sad:
      return low(static_cast<u64>((a > b ? a - b : b - a)) + x[2], n);
    case Opcode::div:
    case Opcode::rem:
      return divide(in, x[0], x[1]);
    case Opcode::abs:
      return low(static_cast<u64>(a < 0 ? -a : a), n);
    case Opcode::neg:
      return low(static_cast<u64>(-a), n);
    case Opcode::min:
    case Opcode::max: {
      const i128 result = in.opcode == Opcode::min ? std::min(a, b) : std::max(a, b);
      return in.modifiers.relu && result < 0 ? 0 : low(static_cast<u64>(result), n);
    }
    case Opcode::popc:
      return static_cast<u64>(std::popcount(low(x[0], n)));
    case Opcode::clz:
      return static_cast<u64>(std::countl_zero(low(x[0], n)) - (64 - n));
    case Opcode::bfind:
      return find_most_significant(in, x[0]);
    case Opcode::fns:
      return find_nth_set(x);
    case Opcode::brev: {
      u64 result = 0;
      for (int i = 0; i < n; ++i) result |= (x[0] >> i & 1) << (n - 1 - i);
      return result;
    }
    case Opcode::bfe:
      return extract_field(in, x);
    case Opcode::bfi:
      return insert_field(in, x);
    case Opcode::bmsk:
      return bit_mask(in, x);
    case Opcode::szext:
      return extend_field(in, x);
    case Opcode::dp4a:
    case Opcode::dp2a:
      return dot_product(in, x);
    case Opcode::and_:
      return low(x[0] & x[1], n);
    case Opcode::or_:
      return low(x[0] | x[1], n);
    case Opcode::xor_:
      return low(x[0] ^ x[1], n);
    case Opcode::not_:
      return low(~x[0], n);
    case Opcode::cnot:
      return low(x[0], n) == 0 ? 1 : 0;
    case Opcode::lop3:
      return look_up(x);
    case Opcode::shf:
      return funnel_shift(in, x);
    case Opcode::shl:
    case Opcode::shr:
      return shift(in, x[0], x[1]);
    case Opcode::prmt:
      return permute(in, x);
    default:
      fail(in, "is no integer instruction");
  }
}

u64 atomic_operation(ptx::Atomic operation, Type type, u64 old, u64 b, u64 c) {
  using ptx::Atomic;
  const int n = ptx::bits(type);
  const i128 x = number(old, type), y = number(b, type);
  switch (operation) {
    case Atomic::add:
      return low(old + b, n);
    case Atomic::sub:
      return low(old - b, n);
    case Atomic::min:
      return x < y ? old : b;
    case Atomic::max:
      return x > y ? old : b;
    case Atomic::and_:
      return old & b;
    case Atomic::or_:
      return old | b;
    case Atomic::xor_:
      return old ^ b;
    case Atomic::exch:
      return b;
    case Atomic::cas:
      return old == b ? c : old;
    case Atomic::inc:
      return old >= b ? 0 : old + 1;
    default:
      return old == 0 || old > b ? b : old - 1;
  }
}

}  // namespace kerlab::oracle
