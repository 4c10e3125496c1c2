#pragma once
// Numbers of few bits, and the scales that blocks of them share.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace number_formats {

/// A number is fraction x 2^exponent: `fraction` bits behind the point, exponents from `least` up. Below 2^least the
/// gap stays what it is there: subnormal numbers, or all of an integer type.
struct Elements {
  std::string name;
  int bits;
  int fraction;
  int least;
  double largest;
};

inline const Elements kInt8 = {"int8", 8, 6, 6, 127};
inline const Elements kE4m3 = {"e4m3", 8, 3, -6, 448};
inline const Elements kE5m2 = {"e5m2", 8, 2, -14, 57344};
inline const Elements kE2m1 = {"e2m1", 4, 1, 0, 6};

/// The nearest number of the type, of two the one with the even last bit; what is too large becomes the largest.
inline double rounded(double x, const Elements& type) {
  if (x == 0) return 0;
  const double gap = std::ldexp(1.0, std::max(std::ilogb(x), type.least) - type.fraction);
  const double nearest = std::nearbyint(x / gap) * gap;  // ties to even: the default rounding mode
  return std::clamp(nearest, -type.largest, type.largest);
}

/// How a block's scale is stored: fp32; a power of two, rounded down as OCP MX v1.0 has it (the largest numbers may be
/// beyond the type) or up; e4m3 beside one fp32 of the whole tensor.
enum class Scale { fp32, power_down, power_up, e4m3 };

/// A block of 0 is the whole tensor.
struct Format {
  std::string name;
  Elements elements;
  std::size_t block;
  Scale scale;
};

inline const char* name_of(Scale scale) {
  switch (scale) {
    case Scale::fp32:
      return "fp32";
    case Scale::power_down:
      return "e8m0 down";
    case Scale::power_up:
      return "e8m0 up";
    case Scale::e4m3:
      return "e4m3";
  }
  return "";
}

/// Of a number and its share of the scale.
inline double bits_of(const Format& format) {
  const double scale = format.scale == Scale::fp32 ? 32 : 8;
  return format.elements.bits + (format.block == 0 ? 0.0 : scale / static_cast<double>(format.block));
}

inline double largest_of(const std::vector<double>& x, std::size_t begin, std::size_t end) {
  double largest = 0;
  for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(x[i]));
  return largest;
}

/// What one code is worth in a block of this largest magnitude; 0 where all that fits the scale is nothing.
inline double scale_of(const Format& format, double amax, double amax_of_tensor) {
  const double largest = format.elements.largest;
  if (amax == 0) return 0;
  switch (format.scale) {
    case Scale::fp32:
      return static_cast<double>(static_cast<float>(amax / largest));
    case Scale::power_down:
      return std::ldexp(1.0, std::ilogb(amax) - std::ilogb(largest));
    case Scale::power_up: {
      int power = 0;
      const double fraction = std::frexp(amax / largest, &power);  // in [1/2, 1)
      return std::ldexp(1.0, fraction == 0.5 ? power - 1 : power);
    }
    case Scale::e4m3: {
      const double whole = static_cast<double>(static_cast<float>(amax_of_tensor / largest / kE4m3.largest));
      return rounded(amax / largest / whole, kE4m3) * whole;
    }
  }
  return 0;
}

/// There and back: what is left of the numbers.
inline std::vector<double> through(const std::vector<double>& x, const Format& format) {
  const std::size_t block = format.block == 0 ? x.size() : format.block;
  const double amax_of_tensor = largest_of(x, 0, x.size());
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const std::size_t end = std::min(begin + block, x.size());
    const double scale = scale_of(format, largest_of(x, begin, end), amax_of_tensor);
    if (scale == 0) continue;
    for (std::size_t i = begin; i < end; ++i) y[i] = rounded(x[i] / scale, format.elements) * scale;
  }
  return y;
}

}  // namespace number_formats
