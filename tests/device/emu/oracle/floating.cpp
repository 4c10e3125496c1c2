// Floating-point arithmetic of one value, from the PTX ISA sections "Floating Point Instructions" and "Half Precision
// Floating Point Instructions". f32 and f64 use the host's IEEE arithmetic in the rounding mode asked for.

#include <bit>
#include <cfenv>
#include <cmath>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Compare;
using ptx::FloatClass;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

namespace {

class RoundingMode {
 public:
  explicit RoundingMode(Rounding rounding) {
    std::fesetround(rounding == Rounding::rz   ? FE_TOWARDZERO
                    : rounding == Rounding::rm ? FE_DOWNWARD
                    : rounding == Rounding::rp ? FE_UPWARD
                                               : FE_TONEAREST);
  }
  ~RoundingMode() { std::fesetround(FE_TONEAREST); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;
};

/// The operation in the host's format; volatile keeps the compiler from evaluating under another rounding mode.
template <class Float>
Float host(Opcode opcode, Rounding rounding, Float x, Float y, Float z) {
  volatile Float a = x, b = y, c = z, result = 0;
  const RoundingMode mode(rounding);
  switch (opcode) {
    case Opcode::add:
      result = a + b;
      break;
    case Opcode::sub:
      result = a - b;
      break;
    case Opcode::mul:
      result = a * b;
      break;
    case Opcode::div:
      result = a / b;
      break;
    case Opcode::rcp:
      result = 1 / a;
      break;
    case Opcode::sqrt:
      result = std::sqrt(static_cast<Float>(a));
      break;
    default:
      result = std::fma(static_cast<Float>(a), static_cast<Float>(b), static_cast<Float>(c));
  }
  return result;
}

u64 narrow_operation(Opcode opcode, Format f, u64 a, u64 b, u64 c) {
  const double x = to_double(a, f), y = to_double(b, f), z = to_double(c, f);
  double exact = 0;
  if (opcode == Opcode::add) exact = odd_sum(x, y);
  if (opcode == Opcode::sub) exact = odd_sum(x, -y);
  if (opcode == Opcode::mul) exact = x * y;
  if (opcode == Opcode::fma || opcode == Opcode::mad) exact = odd_sum(x * y, z);
  return std::isnan(exact) ? canonical_nan(f) : from_double(exact, f, Rounding::rn);
}

/// Whether a quotient of f32 is below the smallest normal number after rounding as if exponents had no end: what
/// div.ftz flushes, even where rounding among subnormal numbers would have reached the smallest normal one.
bool is_tiny_quotient(u64 a, u64 b, Rounding rounding) {
  const double x = to_double(a, kSingle), y = to_double(b, kSingle), q = x / y;
  if (q == 0 || !std::isfinite(q)) return false;
  const double odd = odd_sum(q, -std::fma(q, y, -x) / y);
  return std::abs(to_double(from_double(odd, Format{11, 23}, rounding), Format{11, 23})) < std::ldexp(1.0, -126);
}

/// add, sub, mul, fma, div, rcp, sqrt of finite and infinite numbers.
u64 ieee(Opcode opcode, Rounding rounding, Format f, u64 a, u64 b, u64 c) {
  if (f.m == 23) {
    const auto as = [](u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); };
    const float result = host<float>(opcode, rounding, as(a), as(b), as(c));
    return std::isnan(result) ? canonical_nan(f) : std::bit_cast<u32>(result);
  }
  if (f.m == 52) {
    const auto as = [](u64 bits) { return std::bit_cast<double>(bits); };
    const double result = host<double>(opcode, rounding, as(a), as(b), as(c));
    return std::isnan(result) ? canonical_nan(f) : std::bit_cast<u64>(result);
  }
  return narrow_operation(opcode, f, a, b, c);
}

u64 quiet(u64 nan) {
  return nan | 1ull << 51;
}

u64 extreme(const Instruction& instruction, Format f, u64 a, u64 b) {
  const ptx::Modifiers& m = instruction.modifiers;
  const u64 sign = 1ull << (f.e + f.m);
  u64 xorsign = 0;
  if (m.xorsign) {
    xorsign = (a ^ b) & sign;
    a &= ~sign;
    b &= ~sign;
  }
  const bool nan_a = is_nan(a, f), nan_b = is_nan(b, f);
  if ((nan_a && nan_b) || (m.nan && (nan_a || nan_b))) return f.e == 11 ? quiet(b) : canonical_nan(f);
  u64 result = 0;
  if (nan_a) {
    result = b;
  } else if (nan_b) {
    result = a;
  } else {
    // zeros are ordered by sign
    const double x = to_double(a, f), y = to_double(b, f);
    const bool less = x < y || (x == y && is_negative(a, f) && !is_negative(b, f));
    result = (instruction.opcode == Opcode::min) == less ? a : b;
  }
  return m.xorsign ? (result & ~sign) | xorsign : result;
}

u64 test_property(FloatClass kind, u64 a, Format f) {
  switch (kind) {
    case FloatClass::finite:
      return !is_nan(a, f) && !is_infinite(a, f);
    case FloatClass::infinite:
      return is_infinite(a, f);
    case FloatClass::number:
      return !is_nan(a, f);
    case FloatClass::notanumber:
      return is_nan(a, f);
    case FloatClass::normal:
      return !is_nan(a, f) && !is_infinite(a, f) && !is_subnormal(a, f);  // zero is
    default:
      return is_subnormal(a, f);
  }
}

u64 saturated(u64 bits, Format f) {
  if (is_nan(bits, f) || is_negative(bits, f)) return 0;
  const u64 one = static_cast<u64>(f.bias()) << f.m;
  return bits > one ? one : bits;
}

/// f64 keeps the payload of one NaN operand, quiet: of the last one; of a quotient the first.
u64 nan_result(Opcode opcode, Format f, const u64* in, int count) {
  if (f.e != 11) return canonical_nan(f);
  const bool forward = opcode == Opcode::div;
  for (int i = 0; i < count; ++i) {
    const u64 x = in[forward ? i : count - 1 - i];
    if (is_nan(x, f)) return quiet(x);
  }
  return canonical_nan(f);
}

int arity(Opcode opcode) {
  switch (opcode) {
    case Opcode::fma:
    case Opcode::mad:
      return 3;
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::abs:
    case Opcode::neg:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

u64 float_operation(const Instruction& instruction, Type type, const u64* in) {
  const Format f = format_of(type);
  const ptx::Modifiers& m = instruction.modifiers;
  const Opcode opcode = instruction.opcode;
  const u64 sign = 1ull << (f.e + f.m);
  const int count = arity(opcode);
  u64 x[3] = {};
  for (int i = 0; i < count; ++i) x[i] = m.ftz ? flushed(in[i], f) : low(in[i], f.bits());
  if (opcode == Opcode::testp) return test_property(m.float_class, low(in[0], f.bits()), f);
  if (opcode == Opcode::copysign) return (x[1] & ~sign) | (x[0] & sign);
  u64 result = 0;
  const bool changes_sign = opcode == Opcode::abs || opcode == Opcode::neg;
  if (changes_sign && is_nan(x[0], f)) {
    result = f.e == 11 ? quiet(x[0]) : canonical_nan(f);
  } else if (opcode == Opcode::abs) {
    result = x[0] & ~sign;
  } else if (opcode == Opcode::neg) {
    result = x[0] ^ sign;
  } else if (opcode == Opcode::min || opcode == Opcode::max) {
    result = extreme(instruction, f, x[0], x[1]);
  } else {
    bool nan = false;
    for (int i = 0; i < count; ++i) nan = nan || is_nan(x[i], f);
    result = nan ? nan_result(opcode, f, x, count) : ieee(opcode, m.rounding, f, x[0], x[1], x[2]);
    if (m.ftz) result = flushed(result, f);
    if (m.ftz && opcode == Opcode::div && !nan && is_tiny_quotient(x[0], x[1], m.rounding)) result &= sign;
  }
  if (m.sat) return saturated(result, f);
  if (m.relu) return is_nan(result, f) ? canonical_nan(f) : is_negative(result, f) ? 0 : result;
  return result;
}

bool float_compare(Compare compare, u64 a, u64 b, Format f, bool ftz) {
  a = ftz ? flushed(a, f) : low(a, f.bits());
  b = ftz ? flushed(b, f) : low(b, f.bits());
  const bool unordered = is_nan(a, f) || is_nan(b, f);
  const double x = unordered ? 0 : to_double(a, f), y = unordered ? 0 : to_double(b, f);
  switch (compare) {
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    case Compare::eq:
      return !unordered && x == y;
    case Compare::ne:
      return !unordered && x != y;
    case Compare::lt:
      return !unordered && x < y;
    case Compare::le:
      return !unordered && x <= y;
    case Compare::gt:
      return !unordered && x > y;
    case Compare::ge:
      return !unordered && x >= y;
    case Compare::equ:
      return unordered || x == y;
    case Compare::neu:
      return unordered || x != y;
    case Compare::ltu:
      return unordered || x < y;
    case Compare::leu:
      return unordered || x <= y;
    case Compare::gtu:
      return unordered || x > y;
    default:
      return unordered || x >= y;
  }
}

u64 approximation(const Instruction& instruction, Type type, const u64* in) {
  const Format f = format_of(type);
  const bool ftz = instruction.modifiers.ftz;
  const auto operand = [&](int i) { return ftz ? flushed(in[i], f) : low(in[i], f.bits()); };
  const u64 a = operand(0), b = instruction.opcode == Opcode::div ? operand(1) : 0;
  if (is_nan(a, f) || is_nan(b, f)) return canonical_nan(f);
  const double x = to_double(a, f);
  double result = 0;
  switch (instruction.opcode) {
    case Opcode::rcp:
      result = 1 / x;
      break;
    case Opcode::sqrt:
      result = std::sqrt(x);
      break;
    case Opcode::rsqrt:
      result = 1 / std::sqrt(x);
      break;
    case Opcode::sin:
      result = std::sin(x);
      break;
    case Opcode::cos:
      result = std::cos(x);
      break;
    case Opcode::lg2:
      result = std::log2(x);
      break;
    case Opcode::ex2:
      result = std::exp2(x);
      break;
    case Opcode::tanh:
      result = std::tanh(x);
      break;
    default:
      result = x / to_double(b, f);
  }
  if (std::isnan(result)) return canonical_nan(f);
  const u64 bits = from_double(result, f, Rounding::rn);
  return ftz ? flushed(bits, f) : bits;
}

}  // namespace kerlab::oracle
