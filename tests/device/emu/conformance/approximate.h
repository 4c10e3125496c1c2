#pragma once
// How far an approximation may be from the truth, and from what the GPU computed. The bounds are the largest errors
// measured on an H200 (or what the PTX ISA document promises, where it promises less).

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace conformance {

/// An approximate function: `bound` is relative to the result unless `absolute`; beyond |x| = `domain` nothing is
/// promised but that the result is finite where the GPU's is.
struct Approximation {
  const char* name;
  double (*exact)(double a, double b);
  double bound;
  bool absolute;
  double domain;
  int e, m;  ///< format: bits of exponent and fraction
};

inline double reciprocal(double a, double) {
  return 1 / a;
}
inline double reciprocal_root(double a, double) {
  return 1 / std::sqrt(a);
}
inline double root(double a, double) {
  return std::sqrt(a);
}
inline double sine(double a, double) {
  return std::sin(a);
}
inline double cosine(double a, double) {
  return std::cos(a);
}
inline double logarithm(double a, double) {
  return std::log2(a);
}
inline double power(double a, double) {
  return std::exp2(a);
}
inline double hyperbolic_tangent(double a, double) {
  return std::tanh(a);
}
inline double quotient(double a, double b) {
  return a / b;
}

inline const Approximation* find_approximation(const std::string& name) {
  static const double any = HUGE_VAL;
  static const Approximation table[] = {{"rcp", reciprocal, std::exp2(-23.0), false, any, 8, 23},
                                        {"sqrt", root, std::exp2(-22.9), false, any, 8, 23},
                                        {"rsqrt", reciprocal_root, std::exp2(-22.4), false, any, 8, 23},
                                        {"sin", sine, std::exp2(-20.9), true, 3.1416, 8, 23},
                                        {"cos", cosine, std::exp2(-20.9), true, 3.1416, 8, 23},
                                        {"lg2", logarithm, std::exp2(-22.0), true, any, 8, 23},
                                        {"ex2", power, std::exp2(-22.0), false, any, 8, 23},
                                        {"tanh", hyperbolic_tangent, std::exp2(-10.98), false, any, 8, 23},
                                        {"div", quotient, std::exp2(-22.0), false, any, 8, 23},
                                        {"rcp64", reciprocal, std::exp2(-19.9), false, any, 11, 52},
                                        {"rsqrt64", reciprocal_root, std::exp2(-19.9), false, any, 11, 52},
                                        {"ex2_f16", power, std::exp2(-9.9), false, any, 5, 10},
                                        {"tanh_f16", hyperbolic_tangent, std::exp2(-10.98), true, any, 5, 10},
                                        {"ex2_bf16", power, std::exp2(-7.0), false, any, 8, 7},
                                        {"tanh_bf16", hyperbolic_tangent, std::exp2(-8.0), false, any, 8, 7}};
  for (const Approximation& entry : table)
    if (name == entry.name) return &entry;
  return nullptr;
}

/// Bits of a format as a double.
inline double decoded(std::uint64_t bits, int e, int m) {
  const std::uint64_t fraction = bits & ((1ull << m) - 1), field = bits >> m & ((1ull << e) - 1);
  const int bias = (1 << (e - 1)) - 1;
  double x = 0;
  if (field == (1ull << e) - 1) {
    x = fraction != 0 ? NAN : HUGE_VAL;
  } else {
    x = std::ldexp(static_cast<double>(field == 0 ? fraction : fraction | 1ull << m),
                   static_cast<int>(field == 0 ? 1 : field) - bias - m);
  }
  return (bits >> (e + m) & 1) != 0 ? -x : x;
}

/// Whether `got` is good enough, given what the GPU computed and the operands (all as bits of the format).
inline bool near_enough(const Approximation& f, std::uint64_t recorded, std::uint64_t got, std::uint64_t a,
                        std::uint64_t b, bool flushes) {
  if (got == recorded) return true;
  const double want = decoded(recorded, f.e, f.m), have = decoded(got, f.e, f.m);
  if (!std::isfinite(want) || !std::isfinite(have)) return false;
  const double smallest = std::ldexp(1.0, 2 - (1 << (f.e - 1)));  // normal
  const auto input = [&](std::uint64_t bits) {
    const double x = decoded(bits, f.e, f.m);
    return flushes && std::abs(x) < smallest ? std::copysign(0.0, x) : x;
  };
  const double x = input(a);
  if (std::abs(x) > f.domain) return true;
  const double exact = f.exact(x, input(b));
  // a relative bound does not shrink with subnormal results, and lg2 is relative where it is large
  const double scale = f.absolute ? std::max(1.0, std::abs(exact)) : std::max(std::abs(exact), smallest);
  const double rounding = std::ldexp(std::max(std::abs(exact), smallest), -f.m - 1);
  return std::abs(have - exact) <= f.bound * scale + rounding &&
         std::abs(have - want) <= 2 * (f.bound * scale + rounding);
}

}  // namespace conformance
