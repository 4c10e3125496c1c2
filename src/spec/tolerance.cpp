#include "spec/tolerance.h"

#include <cmath>

namespace kerlab {
namespace {

struct ErrorModel {
  double unit_roundoff;
  double root_factor;    ///< c1: of sqrt(n)
  double linear_factor;  ///< c2: of n
};

ErrorModel model_of(DType problem_dtype, DType accumulator) {
  if (accumulator == DType::fp64) return {std::ldexp(1.0, -53), 2, 0};
  switch (problem_dtype) {
    case DType::bf16:
    case DType::fp16:
    case DType::tf32:
      return {std::ldexp(1.0, -24), 4, 2};  // tensor cores are possible
    case DType::e4m3:
    case DType::e5m2:
      return {std::ldexp(1.0, -14), 4, 2};  // Hopper's fp8 accumulator keeps about 14 bits
    default:
      return {std::ldexp(1.0, -24), 2, 0};  // fused multiply-adds in fp32
  }
}

}  // namespace

Tolerance make_tolerance(const ToleranceDecl& declared, std::int64_t length, DType problem_dtype, DType output_dtype,
                         bool reference_is_float) {
  Tolerance tolerance;
  const DTypeInfo& output = info(output_dtype);
  if (declared.rule == "exact" || !output.is_float) return tolerance;
  const DType accumulator = declared.accumulator.value_or(problem_dtype == DType::fp64 ? DType::fp64 : DType::fp32);
  const double reference_roundoff = reference_is_float ? std::ldexp(1.0, -24) : 0.0;
  // Results that round to zero or to the smallest subnormal.
  tolerance.absolute = std::ldexp(1.0, output.minimum_exponent - output.precision);
  if (declared.rule == "rowwise") {
    const double roundoff = accumulator == DType::fp64 ? std::ldexp(1.0, -53) : std::ldexp(1.0, -24);
    tolerance.scale_factor = 4 * (roundoff + reference_roundoff);
    return tolerance;
  }
  const ErrorModel model = model_of(problem_dtype, accumulator);
  const double n = static_cast<double>(length) + 2;  // two more roundings for alpha and beta
  tolerance.value_factor = model.unit_roundoff * (model.root_factor * std::sqrt(n) + model.linear_factor * n) +
                           reference_roundoff * 2 * std::sqrt(n);
  tolerance.scale_factor = 2 * tolerance.value_factor;
  return tolerance;
}

}  // namespace kerlab
