#pragma once
// What is to be stored: rows of 1024 numbers, the same on every machine, and which of them are outliers.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace number_formats {

inline constexpr std::size_t kColumns = 1024;
inline constexpr std::size_t kCount = 256 * kColumns;

struct Numbers {
  std::string name;
  std::vector<double> x;
  std::vector<bool> outlier;
};

/// Uniform in (0, 1), from the index (splitmix64).
inline double uniform_at(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 0.5) / 9007199254740992.0;
}

/// N(0, 1) (Box and Muller).
inline double normal_at(std::uint64_t index) {
  constexpr double kTwoPi = 6.283185307179586;
  return std::sqrt(-2 * std::log(uniform_at(2 * index))) * std::cos(kTwoPi * uniform_at(2 * index + 1));
}

inline Numbers normal() {
  Numbers numbers{"normal", std::vector<double>(kCount), std::vector<bool>(kCount, false)};
  for (std::size_t i = 0; i < kCount; ++i) numbers.x[i] = normal_at(i);
  return numbers;
}

/// About one of 1000 is 50 times larger, anywhere.
inline Numbers scattered_outliers() {
  Numbers numbers = normal();
  numbers.name = "scattered";
  for (std::size_t i = 0; i < kCount; ++i) {
    numbers.outlier[i] = uniform_at(4 * kCount + i) < 0.001;
    if (numbers.outlier[i]) numbers.x[i] *= 50;
  }
  return numbers;
}

/// 4 of the 1024 columns are 50 times larger: what activations of large language models look like.
inline Numbers outlier_columns() {
  Numbers numbers = normal();
  numbers.name = "columns";
  for (std::size_t i = 0; i < kCount; ++i) {
    numbers.outlier[i] = i % kColumns % 256 == 77;
    if (numbers.outlier[i]) numbers.x[i] *= 50;
  }
  return numbers;
}

/// Rows of very different size: 2^-8 to 2^7.
inline Numbers uneven_rows() {
  Numbers numbers = normal();
  numbers.name = "rows";
  for (std::size_t i = 0; i < kCount; ++i)
    numbers.x[i] = std::ldexp(numbers.x[i], static_cast<int>(i / kColumns % 16) - 8);
  return numbers;
}

}  // namespace number_formats
