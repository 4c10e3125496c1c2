#pragma once
// bf16, fp16 and fp32 on the host: a few conversions, and numbers to multiply.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

inline std::size_t bytes_of(const std::string& dtype) {
  if (dtype == "fp32") return 4;
  if (dtype == "bf16" || dtype == "fp16") return 2;
  throw std::runtime_error("this example has bf16, fp16 and fp32, not " + dtype);
}

/// Multiples of 1/64 from -1 to 1: exact in every one of the types.
inline float number_at(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t x = (index + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xD1B54A32D192ED03ULL;
  x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<float>(static_cast<int>((x >> 40) % 129) - 64) / 64.0F;
}

inline void store(const std::string& dtype, float value, unsigned char* to) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  if (dtype == "fp32") {
    std::memcpy(to, &bits, 4);
    return;
  }
  std::uint16_t half = static_cast<std::uint16_t>(bits >> 16);
  if (dtype == "fp16" && value != 0)  // exact: no rounding, no subnormal numbers among multiples of 1/64
    half = static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | ((((bits >> 23) & 0xFFU) - 112) << 10) |
                                      ((bits >> 13) & 0x3FFU));
  std::memcpy(to, &half, 2);
}

inline double load(const std::string& dtype, const unsigned char* from) {
  std::uint32_t bits = 0;
  float value = 0;
  if (dtype == "fp32") {
    std::memcpy(&value, from, 4);
    return value;
  }
  std::uint16_t half = 0;
  std::memcpy(&half, from, 2);
  if (dtype == "bf16") {
    bits = std::uint32_t{half} << 16;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  const int exponent = (half >> 10) & 31;
  const double fraction = half & 0x3FF;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

inline std::vector<unsigned char> numbers(const std::string& dtype, std::size_t count, std::uint64_t seed) {
  const std::size_t size = bytes_of(dtype);
  std::vector<unsigned char> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) store(dtype, number_at(i, seed), bytes.data() + i * size);
  return bytes;
}
