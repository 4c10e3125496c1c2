#pragma once
// What stays within each element's bound and shows in sums: errors of an output whose tolerance is mostly its rounding,
// beside what one rounding of the reference gives. Both in half ulps, so that an output of any size counts the same.

#include "common/tolerance.h"

namespace kerlab::lab {

/// Elements whose tolerance beyond the rounding is larger than this, in half ulps, tell nothing.
inline constexpr double kMostAllowed = 1;

/// Of a number: so far it may lie from the middle between two of the output's and be rounded to either. An ulp of fp32.
inline constexpr double kUndecided = 1.0 / (1 << 23);

/// x to the nearest even integer; |x| < 2^51.
KERLAB_BOTH double nearest_integer(double x) {
  const double shift = 6755399441055744.0;  // 1.5 * 2^52
  return (x + shift) - shift;
}

/// Adds one element, if it tells something.
KERLAB_BOTH void add_rounding(RoundingSums& sums, const Format& f, double got, double reference, double tolerance) {
  if (!f.is_float || f.precision > 50 || has_few_numbers(f)) return;
  const double half = half_ulp(f, reference);
  const double allowed = tolerance / half - 1;  // half is a power of two: exact
  const double largest = decode(f, f.maximum << f.shift);
  // Comparisons that a NaN fails. Whatever is twice beyond its bound is told by that.
  const bool counts = allowed >= 0 && allowed <= kMostAllowed && absolute_value(reference) < largest / 2 &&
                      absolute_value(got - reference) <= 2 * tolerance;
  if (!counts) return;
  const double scaled = reference / half;
  const double error = (got - reference) / half;
  const double ideal = 2 * nearest_integer(scaled / 2) - scaled;
  // Nearly in the middle between two numbers, and in it as far as fp32 can tell (0.75 c + gelu(x) with x far below 0):
  // where the reference is on one side, an honest sum becomes the even one of the two, in half of all cases the other.
  const double beside = 1 - absolute_value(ideal);
  if (beside > 0 && beside <= kUndecided * absolute_value(scaled)) return;
  sums.elements += 1;
  sums.beyond += error - ideal;
  sums.outward += reference < 0 ? ideal - error : error - ideal;
  sums.spread += (error - ideal) * (error - ideal);
  sums.square += error * error;
  sums.ideal += ideal * ideal;
  sums.allowed += allowed;
}

KERLAB_BOTH void add(RoundingSums& sums, const RoundingSums& other) {
  sums.elements += other.elements;
  sums.beyond += other.beyond;
  sums.outward += other.outward;
  sums.spread += other.spread;
  sums.square += other.square;
  sums.ideal += other.ideal;
  sums.allowed += other.allowed;
}

/// A row of an output of which the sum is known. Values of few bits repeat within a row, and with them their roundings:
/// these are taken as they are, not as chance (docs/tolerance.md, "Sums of rows").
struct RowSum {
  double sum;           // less what rounding the reference once adds
  double above, below;  // how far honest results, each rounded once, may take it
};

KERLAB_BOTH void add_to_row(RowSum& row, const Format& f, double got, double reference, double tolerance) {
  const double rounded = decode(f, encode(f, reference));
  // The half subnormal that every element is granted moves no honest sum.
  const double beyond = tolerance - half_ulp(f, reference) - half_ulp(f, 0);
  const double allowed = beyond > 0 ? beyond : 0;
  const double up = decode(f, encode(f, reference + allowed)) - rounded;
  const double down = rounded - decode(f, encode(f, reference - allowed));
  row.sum += got - (rounded - reference);
  row.above += up > allowed ? up : allowed;
  row.below += down > allowed ? down : allowed;
}

/// How far the row's sum is from the target, of how far it may be.
KERLAB_BOTH double row_error(const RowSum& row, double target) {
  const double off = row.sum - target;
  return off > 0 ? off / row.above : -off / row.below;
}

/// A ratio as float bits above the complement of an index: the largest of them is the first of the worst.
KERLAB_BOTH u64 worst_key(double ratio, i64 index) {
#if defined(__CUDA_ARCH__)
  const u32 bits = __float_as_uint(static_cast<float>(ratio));
#else
  const float rounded = static_cast<float>(ratio);
  u32 bits = 0;
  __builtin_memcpy(&bits, &rounded, sizeof bits);
#endif
  return (static_cast<u64>(bits) << 32) | (~static_cast<u32>(index));
}

}  // namespace kerlab::lab
