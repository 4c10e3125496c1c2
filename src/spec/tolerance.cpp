#include "spec/tolerance.h"

#include <cmath>

namespace kerlab::spec {
namespace {

constexpr double kSingle = 0x1p-24;

/// u (root sqrt(n) + linear n) of a sum of n terms, u the unit roundoff of what it is added up in. Errors of one sign
/// grow with n: beside |r| where all terms have one sign, beside s where they have both.
struct ErrorModel {
  double unit_roundoff;
  double root;
  double linear_of_value, linear_of_scale;
};

// wgmma adds fp8 products with u = 2^-14, 32 at a time: each term and the sum of the step lose what lies below 2u of
// the largest among them, C, the sum so far, included (reference/emulator.md, section 10). Where terms have both signs,
// what they lose has too: 2u |C| / sqrt(3) each, and C is a random walk, so 4 sigma are 1.5 sqrt(n) of |r| + 2s; what
// the steps lose always points to zero: n / 32. Where all terms have one sign a term loses u |C| on average, and |C| is
// half of |r| on average: n / 2. (20000 sums for each of 128..32768 terms, e4m3 and e5m2: at most 0.73 sqrt(n), and
// 0.29 n.)
constexpr ErrorModel kFp8 = {0x1p-14, 1.5, 0.5, 1.0 / 32};
constexpr ErrorModel kFusedMultiplyAdd = {kSingle, 2, 0, 0};
// Other types: a step of g products (16, or 8) and C loses what lies below 2^(emax - 25), emax the exponent of the
// largest term, and the sum what fp32 does not hold, all toward zero. Terms of one sign: g 2^-25 + 2^-23 of |C| at
// most, half of that on average, and |C| is half of |r| on average: 0.16 u n |r| for g = 16, 0.19 for g = 8 with 25
// bits, 0.3 with 24 (an A100), 0.6 with steps of 4 and 23 bits (a V100). Terms of both signs: C is a random walk, and
// only what the sum loses has a sign, C's: u |C| a step, n / 16 of s. (docs/tolerance.md: at most 0.16 n, 0.22 n and
// 0.64 n beside |r|, 0.8 sqrt(n) and 0.03 n beside s.)
constexpr ErrorModel kTensorCore = {kSingle, 3, 0.75, 1.0 / 8};

/// `rule` sum: added up in fp32 (or fp64) one by one, whatever the type; dot: perhaps by tensor cores.
ErrorModel model_of(const std::string& rule, DType problem_dtype, DType accumulator) {
  if (accumulator == DType::fp64) return {0x1p-53, 2, 0, 0};
  if (rule == "sum") return kFusedMultiplyAdd;
  switch (problem_dtype) {
    case DType::bf16:
    case DType::fp16:
    case DType::tf32:
      return kTensorCore;
    case DType::e4m3:
    case DType::e5m2:
      return kFp8;
    default:
      return kFusedMultiplyAdd;
  }
}

/// Of terms of one sign whose density has a peak at 0 those below half an ulp of the sum, n u, are lost, always to the
/// same side: as squares of normal numbers have it, sqrt(n u) of n u |r|. (docs/tolerance.md: 0.035 sqrt(n u) at most.)
double bias_of_nearest(double unit_roundoff, double n) {
  return std::sqrt(n * unit_roundoff) / 16 * n * unit_roundoff;
}

double error(const ErrorModel& model, double n, double linear) {
  return model.unit_roundoff * (model.root * std::sqrt(n) + linear * n);
}

}  // namespace

Tolerance make_tolerance(const ToleranceDecl& declared, const SumLength& length, DType problem_dtype,
                         DType output_dtype, bool reference_is_float) {
  Tolerance tolerance;
  const DTypeInfo& output = info(output_dtype);
  tolerance.bits = declared.rule == "bits";
  if (tolerance.bits || declared.rule == "exact" || !output.is_float) return tolerance;
  const DType accumulator = declared.accumulator.value_or(problem_dtype == DType::fp64 ? DType::fp64 : DType::fp32);
  const double reference_roundoff = reference_is_float ? std::ldexp(1.0, -24) : 0.0;
  // Results that round to zero or to the smallest subnormal; and below the smallest normal number of the accumulator an
  // error is as large as at it.
  // Of types of few numbers that would be as far as to the next.
  tolerance.absolute = output.precision > 2 ? std::ldexp(1.0, output.minimum_exponent - output.precision) : 0;
  if (declared.rule == "rowwise") {
    const double roundoff = accumulator == DType::fp64 ? std::ldexp(1.0, -53) : std::ldexp(1.0, -24);
    tolerance.scale_factor = 4 * (roundoff + reference_roundoff);
    tolerance.absolute += std::ldexp(tolerance.scale_factor, info(accumulator).minimum_exponent);
    return tolerance;
  }
  const ErrorModel model = model_of(declared.rule, problem_dtype, accumulator);
  const double n = static_cast<double>(length.terms) + 2;  // two more roundings for alpha and beta
  const bool promoted =
      model.unit_roundoff > kSingle && length.promoted_every > 0 && length.promoted_every < length.terms;
  const double part = promoted ? static_cast<double>(length.promoted_every) + 2 : n;
  const double in_float =
      reference_roundoff * 2 * std::sqrt(n) + (promoted ? error(kFusedMultiplyAdd, n / part, 0) : 0.0);
  tolerance.value_factor =
      error(model, part, model.linear_of_value) + in_float + bias_of_nearest(reference_roundoff, n);
  if (model.linear_of_value == 0) tolerance.value_factor += bias_of_nearest(model.unit_roundoff, n);
  tolerance.scale_factor = 2 * (error(model, part, model.linear_of_scale) + in_float);
  tolerance.absolute += std::ldexp(tolerance.value_factor, info(accumulator).minimum_exponent);
  return tolerance;
}

}  // namespace kerlab::spec
