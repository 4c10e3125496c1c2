#include "device/emu/numeric/tensor_core.h"

#include <algorithm>
#include <bit>
#include <climits>

#include "device/emu/numeric/convert.h"

namespace kerlab::emu::numeric {
namespace {

/// A term of the sum. `scale` is what emax is the largest of; it can be below the exponent of the leading bit (by one:
/// products are not normalised) or above it (subnormals).
struct Term {
  Number value;
  int scale = INT_MIN;
};

int scale(const Number& number, const Format& format) {
  return std::max(leading_exponent(number), format.smallest_exponent());
}

Term product(const Number& a, const Number& b, const TensorCoreRule& rule) {
  Term term;
  term.value.negative = a.negative != b.negative;
  if (a.kind == Kind::nan || b.kind == Kind::nan) {
    term.value.kind = Kind::nan;
  } else if (a.kind == Kind::infinite || b.kind == Kind::infinite) {
    term.value.kind = a.kind == Kind::zero || b.kind == Kind::zero ? Kind::nan : Kind::infinite;
  } else if (a.kind == Kind::finite && b.kind == Kind::finite) {
    term.value = {Kind::finite, term.value.negative, a.significand * b.significand, a.exponent + b.exponent};
    term.scale = scale(a, rule.a) + scale(b, rule.b);
  }
  return term;
}

/// The sum as it is built up.
struct Sum {
  bool nan = false, positive_infinity = false, negative_infinity = false;
  int emax = INT_MIN;

  void look_at(const Term& term) {
    nan |= term.value.kind == Kind::nan;
    if (term.value.kind == Kind::infinite) (term.value.negative ? negative_infinity : positive_infinity) = true;
    emax = std::max(emax, term.scale);
  }
};

std::int64_t truncated(const Term& term, int unit_exponent) {
  if (term.value.kind != Kind::finite) return 0;
  const std::uint64_t magnitude =
      shift_right_rounded(term.value.significand, unit_exponent - term.value.exponent, false, Round::zero);
  return term.value.negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

/// Drops the fraction bits that the result does not keep.
Number cut(Number number, int result_bits) {
  const int excess = 63 - std::countl_zero(number.significand) - result_bits;
  if (excess > 0) number.significand = number.significand >> excess << excess;
  return number;
}

}  // namespace

std::uint64_t tensor_core_group(const TensorCoreRule& rule, std::span<const std::uint32_t> a,
                                std::span<const std::uint32_t> b, std::uint64_t c) {
  const Number start = unpack(c, rule.c);
  const Term addend{start, start.kind == Kind::finite ? scale(start, rule.c) : INT_MIN};
  Sum sum;
  sum.look_at(addend);
  for (std::size_t k = 0; k < a.size(); ++k) sum.look_at(product(unpack(a[k], rule.a), unpack(b[k], rule.b), rule));
  if (sum.nan || (sum.positive_infinity && sum.negative_infinity)) return quiet_nan(rule.result);
  if (sum.positive_infinity || sum.negative_infinity) {
    return pack({Kind::infinite, sum.negative_infinity, 0, 0}, rule.result, Round::nearest_even);
  }
  if (sum.emax == INT_MIN) return 0;
  const int unit = sum.emax - rule.kept_bits;
  std::int64_t total = truncated(addend, unit);
  for (std::size_t k = 0; k < a.size(); ++k) {
    total += truncated(product(unpack(a[k], rule.a), unpack(b[k], rule.b), rule), unit);
  }
  if (total == 0) return 0;
  const Number exact{Kind::finite, total < 0, static_cast<std::uint64_t>(total < 0 ? -total : total), unit};
  const std::uint64_t bits = pack(cut(exact, rule.result_bits), rule.result, rule.round, Overflow::infinity);
  return unpack(bits, rule.result).kind == Kind::zero ? 0 : bits;
}

std::uint64_t tensor_core_group(const TensorCoreRule& rule, const std::uint32_t* a, const std::uint32_t* b,
                                std::size_t count, std::uint64_t c) {
  return tensor_core_group(rule, {a, count}, {b, count}, c);
}

TensorCoreRule f16_accumulator_rule(const Format& a, const Format& b) {
  TensorCoreRule rule{a, b, kF16, kF16};
  rule.result_bits = 63;
  rule.round = Round::nearest_even;
  return rule;
}

TensorCoreRule mma_rule(const Format& a, const Format& b, bool f16_accumulator) {
  return f16_accumulator ? f16_accumulator_rule(a, b) : TensorCoreRule{a, b, kF32, kF32};
}

std::uint64_t mma_element(const Format& operand_a, const Format& operand_b, const Format& accumulator,
                          std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::uint64_t c) {
  const bool is_f16 = accumulator.bits() == 16;
  const TensorCoreRule rule = mma_rule(operand_a, operand_b, is_f16);
  if (operand_a.bits() > 8) return tensor_core_group(rule, a, b, c);
  std::uint64_t products = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint32_t some_a[32], some_b[32];
    std::size_t count = 0;
    for (std::size_t k = 0; k < a.size() && count < 32; ++k) {
      if ((k >> 1 & 1) == half) some_a[count] = a[k], some_b[count++] = b[k];
    }
    products = tensor_core_group(rule, {some_a, count}, {some_b, count}, products);
  }
  // The sum of two f16 rounded to f32 and then to f16 is rounded as if once: 24 >= 2 x 11 + 2 bits (Figueroa 1995).
  const Conversion up{Value::f32, Value::f16, Round::nearest_even}, down{Value::f16, Value::f32, Round::nearest_even};
  const float sum = std::bit_cast<float>(static_cast<std::uint32_t>(is_f16 ? convert(up, products) : products)) +
                    std::bit_cast<float>(static_cast<std::uint32_t>(is_f16 ? convert(up, c) : c));
  const std::uint64_t bits = sum != sum ? quiet_nan(kF32) : std::bit_cast<std::uint32_t>(sum);
  return is_f16 ? convert(down, bits) : bits;
}

TensorCoreRule wgmma_rule(const Format& a, const Format& b, const Format& accumulator) {
  const bool f16 = accumulator.bits() == 16;
  TensorCoreRule rule = mma_rule(a, b, f16);
  if (a.bits() == 8) {
    rule.kept_bits = 13;
    if (!f16) rule.result_bits = 13;
  }
  return rule;
}

std::uint64_t wgmma_element(const Format& operand_a, const Format& operand_b, std::span<const std::uint32_t> a,
                            std::span<const std::uint32_t> b, std::uint64_t c, const Format& accumulator) {
  return tensor_core_group(wgmma_rule(operand_a, operand_b, accumulator), a, b, c);
}

}  // namespace kerlab::emu::numeric
