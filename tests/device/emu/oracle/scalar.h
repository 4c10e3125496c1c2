#pragma once
// Arithmetic on one value: pure functions of bits.

#include "device/emu/oracle/state.h"

namespace kerlab::oracle {

/// A binary format: bits of exponent and fraction.
struct Format {
  int e, m;
  [[nodiscard]] int bias() const { return (1 << (e - 1)) - 1; }
  [[nodiscard]] int bits() const { return 1 + e + m; }
};
inline constexpr Format kHalf{5, 10}, kBrain{8, 7}, kSingle{8, 23}, kDouble{11, 52}, kE4m3{4, 3}, kE5m2{5, 2};
Format format_of(ptx::Type type);      ///< of f16, bf16, f32, f64 and of the packed types' elements
ptx::Type element_of(ptx::Type type);  ///< f16x2 -> f16; others themselves
bool is_packed(ptx::Type type);

bool is_nan(u64 bits, Format f);
bool is_infinite(u64 bits, Format f);
bool is_zero(u64 bits, Format f);
bool is_subnormal(u64 bits, Format f);
bool is_negative(u64 bits, Format f);
u64 canonical_nan(Format f);
u64 infinity(Format f, bool negative);
u64 flushed(u64 bits, Format f);  ///< a subnormal number becomes zero of its sign

/// Exact. Not for NaN.
double to_double(u64 bits, Format f);
/// x rounded to a narrower format, and to an integral number first for rni, rzi, rmi, rpi. Not for NaN.
u64 from_double(double x, Format f, ptx::Rounding rounding);
double rounded_to_integral(double x, ptx::Rounding rounding);
/// Like the operation in infinite precision but with a set last bit for whatever was cut off ("round to odd"), so that
/// a second rounding to at most 51 bits is correct.
double odd_sum(double a, double b);

u64 float_operation(const ptx::Instruction& instruction, ptx::Type type, const u64* in);
bool float_compare(ptx::Compare compare, u64 a, u64 b, Format f, bool ftz);
/// Approximations in double precision.
u64 approximation(const ptx::Instruction& instruction, ptx::Type type, const u64* in);

u64 integer_operation(const ptx::Instruction& instruction, const u64* in, bool& carry);
bool integer_compare(ptx::Compare compare, u64 a, u64 b, ptx::Type type);

/// cvt of one value; `bits_out` bits of the destination register are given.
u64 convert(const ptx::Instruction& instruction, const u64* in, int bits_out);

u64 atomic_operation(ptx::Atomic operation, ptx::Type type, u64 old, u64 b, u64 c);

}  // namespace kerlab::oracle
