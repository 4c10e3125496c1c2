#pragma once
// The verdict on one output element: one formula for host and device.
//   tolerance = half an ulp of the output type at the reference + value_factor |reference| + scale_factor scale +
//   absolute
// A subnormal reference has the ulp of the smallest normal number, so half the smallest subnormal is always granted.

#include "common/number.h"

namespace kerlab::lab {

/// Half the spacing of the type's numbers at x: what rounding x to the type may cost. Of e2m1 and e8m0 what it does cost.
KERLAB_BOTH double half_ulp(const Format& f, double x) {
  if (!f.is_float) return 0.5;
  if (has_few_numbers(f)) {
    const bool beyond = absolute_value(x) > decode(f, f.maximum) || (x < 0 && !f.is_signed);
    return beyond || is_nan(x) ? 0.0 : absolute_value(x - decode(f, encode(f, x)));
  }
  const int field = static_cast<int>((bits_of(x) >> 52) & 0x7FF);
  const int exponent = (field == 0 ? 1 : field) - 1023;
  const int half = (exponent < f.minimum_exponent ? f.minimum_exponent : exponent) - f.precision;
  return half < -1022 ? 0.0 : power_of_two(half);
}

struct Verdict {
  bool passed;
  bool nan;      // NaN in got where the reference has none
  double ratio;  // error / tolerance; infinite where no tolerance applies and the element is wrong
  double tolerance;
};

KERLAB_BOTH Verdict right(double tolerance) {
  return {true, false, 0.0, tolerance};
}
KERLAB_BOTH Verdict wrong(bool nan, double tolerance) {
  return {false, nan, double_of(0x7FF0000000000000ull), tolerance};
}

KERLAB_BOTH double tolerance_at(const Format& f, double reference, double scale, const CompareArguments& a) {
  return half_ulp(f, reference) + a.value_factor * absolute_value(reference) + a.scale_factor * absolute_value(scale) +
         a.absolute;
}

/// Integers that the type holds none of: what a kernel saturates, to -127 of int8 or -128.
KERLAB_BOTH bool is_beyond(const Format& f, double reference) {
  const double most = static_cast<double>(f.maximum);
  return reference > most || (f.is_signed && reference < -most - 1);
}

/// Of integers of 64 bits the reference, a double, has 53; a sum of more may err in those as well, and beyond the type
/// there is no right one.
KERLAB_BOTH bool is_beyond_reference(const Format& f, double got, double reference) {
  if (f.is_float || f.bytes != 8 || absolute_value(reference) <= power_of_two(53)) return false;
  return is_beyond(f, reference) || absolute_value(got - reference) <= absolute_value(reference) * power_of_two(-40);
}

/// Bit-exact: got is the reference rounded once. Zeros of both signs are equal; fp8 may overflow to infinity instead of
/// saturating. Neither is NaN.
KERLAB_BOTH Verdict exact_verdict(const Format& f, u64 got_bits, double got, double reference) {
  if (got == reference) return right(0);  // -128 of int8 too, to which nothing is rounded
  const double least = -static_cast<double>(f.maximum) - 1;
  if (!f.is_float && f.is_signed && reference <= least)
    return reference < least && (got == least || got == least + 1) ? right(0) : wrong(false, 0);
  const u64 expected = encode(f, reference);
  if (got_bits == expected || (got == 0 && decode(f, expected) == 0)) return right(0);
  const bool saturated = f.is_float && (encode(f, absolute_value(reference)) >> f.shift) >= f.overflow;
  return saturated && is_infinite(got) && (got > 0) == (reference > 0) ? right(0) : wrong(false, 0);
}

/// The bits of a copy, of which the reference gives the number and, where that is infinite or none, the fraction below
/// its hidden bit as the error scale, with its sign (common/copied.cuh).
KERLAB_BOTH u64 copied_bits(const Format& f, double reference, double scale) {
  const u64 sign = f.is_signed ? u64{1} << (bits_in(f) - 1) : u64{0};
  const bool special = is_nan(reference) || is_infinite(reference);
  if (!special || scale == 0) return encode(f, reference) | (bits_of(reference) >> 63 != 0 ? sign : u64{0});
  const u64 hidden = u64{1} << (f.precision - 1 + f.shift);
  const u64 fraction = static_cast<u64>(absolute_value(scale)) & (hidden - 1);
  return ((sign - 1) & ~(hidden - 1)) | fraction | (bits_of(scale) >> 63 != 0 ? sign : u64{0});
}

/// Zeros have their sign, and what is beyond an fp8 type is its largest number. A NaN has the reference's bits where the
/// scale says which, else any.
KERLAB_BOTH Verdict bits_verdict(const Format& f, u64 got_bits, double got, double reference, double scale) {
  if (!f.is_float) return exact_verdict(f, got_bits, got, reference);
  const bool told = absolute_value(scale) > 0 && !is_infinite(scale);
  if (is_nan(got) && is_nan(reference) && !told) return right(0);
  return got_bits == copied_bits(f, reference, told ? scale : 0) ? right(0)
                                                                  : wrong(is_nan(got) && !is_nan(reference), 0);
}

/// Infinities, and numbers beyond the tolerance. Infinity is accepted where the reference plus its tolerance lies
/// beyond the largest number; formats that saturate give that number instead. Neither is NaN.
KERLAB_BOTH Verdict distant_verdict(const Format& f, double got, double reference, double tolerance) {
  const double largest = f.is_float ? decode(f, f.maximum << f.shift) : static_cast<double>(f.maximum);
  const bool same_sign = (got > 0) == (reference > 0);
  const bool got_least = !f.is_float && f.is_signed && got == -largest - 1;
  const bool got_largest = is_infinite(got) || (f.overflow == f.maximum && absolute_value(got) == largest) || got_least;
  if (is_infinite(reference)) return same_sign && got_largest ? right(0) : wrong(false, 0);
  if (is_nan(tolerance) || is_infinite(tolerance)) return wrong(false, tolerance);
  const bool saturates = f.is_float ? absolute_value(reference) + tolerance > largest : is_beyond(f, reference);
  if (same_sign && got_largest && saturates) return right(tolerance);
  const double error = absolute_value(got - reference);
  return tolerance > 0 && !is_infinite(got) ? Verdict{false, false, error / tolerance, tolerance}
                                            : wrong(false, tolerance);
}

/// Of kernels that declare it: NaN where the value or its error scale is none, or where the value may be too large for
/// the type. A negative scale says that this holds for the whole row or matrix, and for infinities too.
KERLAB_BOTH bool may_be_special(const Format& f, double got, double reference, double scale,
                                const CompareArguments& a) {
  if (a.may_be_nan == 0) return false;
  if (!is_nan(scale) && bits_of(scale) >> 63 != 0) return is_nan(got) || is_infinite(got);
  if (!is_nan(got)) return false;
  const double reached = absolute_value(reference) + tolerance_at(f, reference, scale, a);
  return !(reached <= decode(f, f.maximum << f.shift));
}

/// An error scale of -infinity: nobody can say which infinity, or whether two of them cancelled; beside a number that an
/// infinity may not have met at all, this number, rounded.
KERLAB_BOTH_RARE Verdict rare_verdict(const Format& f, u64 got_bits, double reference, double scale,
                                      const CompareArguments& a) {
  const double got = decode(f, got_bits);
  if (f.is_float && may_be_special(f, got, reference, scale, a)) return right(0);
  if (a.exact == kSameBits) return bits_verdict(f, got_bits, got, reference, scale);
  if (a.exact == 0 && a.may_be_nan == 0 && is_infinite(scale) && scale < 0) {
    if (is_nan(got) || is_infinite(got)) return right(0);
    const double tolerance = tolerance_at(f, reference, 0, a);
    return absolute_value(got - reference) <= tolerance && !is_infinite(tolerance) ? right(tolerance) : wrong(false, 0);
  }
  if (is_nan(got) || is_nan(reference)) {
    return is_nan(got) && is_nan(reference) ? right(0) : wrong(!is_nan(reference), 0);
  }
  if (is_beyond_reference(f, got, reference)) return right(0);
  if (a.exact != 0) return exact_verdict(f, got_bits, got, reference);
  return distant_verdict(f, got, reference, tolerance_at(f, reference, scale, a));
}

/// NaN where the reference has none never passes; NaN and infinities of the reference must be met.
KERLAB_BOTH Verdict judge(const Format& f, u64 got_bits, double reference, double scale, const CompareArguments& a) {
  const double tolerance = tolerance_at(f, reference, scale, a);
  const double error = absolute_value(decode(f, got_bits) - reference);
  const bool usable = a.exact == 0 && !is_infinite(tolerance);
  if (usable && error <= tolerance) return {true, false, error > 0 ? error / tolerance : 0.0, tolerance};
  return rare_verdict(f, got_bits, reference, scale, a);
}

}  // namespace kerlab::lab
