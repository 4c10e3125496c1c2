#pragma once
// Floating-point values for handler checks: corners of the formats, near 1, few bits, any bits.

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>

#include "modules.h"

namespace kerlab::emu {

inline float single(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
/// NaN as the GPU writes it.
inline std::uint64_t bits_of(float value) {
  return std::isnan(value) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(value);
}
inline double as_double(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

inline std::uint64_t draw_single(std::mt19937_64& random, int bits) {
  static constexpr std::uint32_t kSpecial[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x807fffff, 0x3f800000, 0xbf800000,
      0x3f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc01234, 0x7fffffff,
      0x34000000, 0x33800000, 0x4b000000, 0x3f000000, 0x00ffffff, 0x01000000, 0x3f800001, 0x7e800000, 0x7f000000};
  if (bits == 1) return random() & 1;
  switch (random() % 4) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return random() & 0xffffffff;
    case 2:  // near 1, so that sums cancel
      return (random() & 0x80ffffff) + 0x3f000000;
    default:  // few bits, so that ties happen
      return (random() & 0xbf800000) | (random() & random() & 0x00700001);
  }
}
inline std::uint64_t draw_double(std::mt19937_64& random, int bits) {
  static constexpr std::uint64_t kSpecial[] = {0,
                                               1ull << 63,
                                               1,
                                               0x000fffffffffffff,
                                               0x0010000000000000,
                                               0x3ff0000000000000,
                                               0xbff0000000000000,
                                               0x7fefffffffffffff,
                                               0x7ff0000000000000,
                                               0xfff0000000000000,
                                               0x7ff8000000001234,
                                               0x7ff0000000000005,
                                               0xfff8000000000007,
                                               0x3ca0000000000000,
                                               0x3fefffffffffffff};
  if (bits == 1) return random() & 1;
  switch (random() % 4) {
    case 0:
      return kSpecial[random() % std::size(kSpecial)];
    case 1:
      return random();
    case 2:
      return (random() & 0x801fffffffffffff) + 0x3fe0000000000000;
    default:
      return (random() & 0xbff0000000000000) | (random() & random() & 0x000e000000000001);
  }
}

inline float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
inline std::uint64_t saturate(float x) {
  return std::isnan(x) || x <= 0 ? 0 : bits_of(x < 1.0f ? x : 1.0f);
}

}  // namespace kerlab::emu
