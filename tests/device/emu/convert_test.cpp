// cvt: the scalar conversions against tables and long double; the handlers are in convert_handler_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "catch.h"
#include "device/emu/numeric/convert_ptx.h"

namespace kerlab::emu {
namespace {

using numeric::Round;
using numeric::Value;

/// A value by the formula of its format; NaN and infinities as such.
long double value_of(std::uint64_t bits, const numeric::Format& f) {
  const auto fraction = static_cast<long double>(bits & ((1ull << f.fraction_bits) - 1));
  const auto exponent = static_cast<int>(bits >> f.fraction_bits & ((1ull << f.exponent_bits) - 1));
  const int top = (1 << f.exponent_bits) - 1;
  const long double sign = (bits >> (f.fraction_bits + f.exponent_bits) & 1) != 0 ? -1.0L : 1.0L;
  if (exponent == top && f.infinities) return fraction == 0 ? sign * INFINITY : NAN;
  if (!f.infinities && exponent == top && fraction == std::ldexp(1.0L, f.fraction_bits) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - f.bias() - f.fraction_bits);
  return sign * std::ldexp(fraction + std::ldexp(1.0L, f.fraction_bits), exponent - f.bias() - f.fraction_bits);
}

long double value_of(const numeric::Number& n) {
  switch (n.kind) {
    case numeric::Kind::nan:
      return NAN;
    case numeric::Kind::infinite:
      return n.negative ? -INFINITY : INFINITY;
    case numeric::Kind::zero:
      return n.negative ? -0.0L : 0.0L;
    default:
      return std::ldexp(n.negative ? -static_cast<long double>(n.significand) : static_cast<long double>(n.significand),
                        n.exponent);
  }
}

bool same(long double a, long double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST_CASE("every f16, bf16, e4m3 and e5m2 is taken apart and put together again", "[cvt]") {
  for (const numeric::Format* format : {&numeric::kF16, &numeric::kBf16, &numeric::kE4m3, &numeric::kE5m2}) {
    long wrong = 0;
    for (std::uint64_t bits = 0; bits < 1ull << format->bits(); ++bits) {
      const numeric::Number number = numeric::unpack(bits, *format);
      wrong += !same(value_of(number), value_of(bits, *format));
      if (number.kind != numeric::Kind::nan) wrong += numeric::pack(number, *format, Round::nearest_even) != bits;
    }
    CHECK(wrong == 0);
  }
}

/// Rounds by looking the neighbours up among all values of the format.
class Table {
 public:
  explicit Table(const numeric::Format& format) : format_(format) {
    const std::uint64_t largest = numeric::largest_finite(format);
    for (std::uint64_t bits = 0; bits <= largest; ++bits) values_.push_back(value_of(bits, format));
  }
  /// Of a finite magnitude; what lies above the largest is told apart by the caller's conversion to infinity.
  [[nodiscard]] std::uint64_t rounded(long double x, Round round) const {
    const bool negative = std::signbit(x);
    const long double magnitude = std::fabs(x);
    const auto above =
        static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), magnitude) - values_.begin());
    if (above < values_.size() && values_[above] == magnitude) return with_sign(above, negative);
    const std::size_t below = above - 1;
    const bool away = (round == Round::up && !negative) || (round == Round::down && negative);
    if (away) return with_sign(above, negative);
    if (round != Round::nearest_even && round != Round::nearest_away) return with_sign(below, negative);
    // Beyond the largest, the next value there would be.
    const long double next = above < values_.size() ? values_[above] : 2 * values_[below] - values_[below - 1];
    const long double middle = (values_[below] + next) / 2;
    const bool up = magnitude > middle || (magnitude == middle && (round == Round::nearest_away || below % 2 == 1));
    return with_sign(up ? above : below, negative);
  }

 private:
  [[nodiscard]] std::uint64_t with_sign(std::size_t magnitude, bool negative) const {
    const std::uint64_t bits = std::min<std::uint64_t>(magnitude, numeric::infinity(format_));
    return bits | (negative ? 1ull << (format_.bits() - 1) : 0);
  }
  numeric::Format format_;
  std::vector<long double> values_;
};

/// Random bits of f32, so chosen that they meet the range of a narrower format.
std::uint32_t random_f32(std::mt19937& random, const numeric::Format& target) {
  const std::uint32_t bits = static_cast<std::uint32_t>(random());
  const int range = target.bias() + target.fraction_bits + 2,
            exponent = 127 - range + static_cast<int>(random() % static_cast<unsigned>(2 * range + 2));
  std::uint32_t fraction = bits & 0x7fffff;
  if (bits >> 29 == 0) fraction &= ~0u << (23 - target.fraction_bits - 1);  // exact and halfway
  if (bits >> 29 == 1) fraction = (fraction & ~0u << (23 - target.fraction_bits - 1)) + 1;
  return static_cast<std::uint32_t>(std::clamp(exponent, 0, 254)) << 23 | (fraction & 0x7fffff) | (bits & 0x80000000);
}

TEST_CASE("rounding to 16 and 8 bits picks the right neighbour", "[cvt]") {
  std::mt19937 random(11);
  for (const Value to : {Value::f16, Value::bf16, Value::e5m2, Value::e4m3}) {
    const numeric::Format& format = numeric::format_of(to);
    const Table table(format);
    for (const Round round : {Round::nearest_even, Round::zero, Round::down, Round::up, Round::nearest_away}) {
      long wrong = 0;
      for (int i = 0; i < 20000; ++i) {
        const std::uint32_t bits = random_f32(random, format);
        const std::uint64_t got = numeric::convert({to, Value::f32, round}, bits);
        std::uint64_t want = table.rounded(value_of(bits, numeric::kF32), round);
        // e4m3 has one NaN per sign instead of infinities; ours is the positive one when it comes from overflow alone.
        if (!format.infinities && (want & 0x7f) == 0x7f) want = (want & 0x80) | 0x7f;
        wrong += got != want;
      }
      INFO("to " << static_cast<int>(to) << " rounding " << static_cast<int>(round));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("floats become integers as the mathematics says, clamped", "[cvt]") {
  std::mt19937_64 random(5);
  const Value integers[] = {Value::u8,  Value::s8,  Value::u16, Value::s16,
                            Value::u32, Value::s32, Value::u64, Value::s64};
  for (const Value to : integers) {
    const int bits = numeric::bits_of(to);
    const bool is_signed = numeric::is_signed_integer(to);
    const long double low = is_signed ? -std::ldexp(1.0L, bits - 1) : 0,
                      high = std::ldexp(1.0L, bits - (is_signed ? 1 : 0)) - 1;
    long wrong = 0;
    for (int i = 0; i < 20000; ++i) {
      const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                  static_cast<int>(random() % 80) - 72 + bits - 64);
      const Round rounds[] = {Round::nearest_even, Round::zero, Round::down, Round::up};
      const Round round = rounds[i % 4];
      const auto exact = static_cast<long double>(x);
      const long double whole = round == Round::nearest_even ? std::nearbyint(exact)
                                : round == Round::zero       ? std::trunc(exact)
                                : round == Round::down       ? std::floor(exact)
                                                             : std::ceil(exact);
      const long double clamped = std::clamp(whole, low, high);
      const std::uint64_t want = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(clamped))
                                           : static_cast<std::uint64_t>(clamped);
      std::uint64_t source;
      std::memcpy(&source, &x, sizeof source);
      wrong += numeric::convert({to, Value::f64, round}, source) != want;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("cvt of what is no number", "[cvt]") {
  const auto cvt = [](Value to, Value from, std::uint64_t bits) {
    return numeric::convert({to, from, Round::zero}, bits);
  };
  CHECK(cvt(Value::s32, Value::f32, 0x7fc00000) == 0);
  CHECK(cvt(Value::u32, Value::f16, 0x7e00) == 0);
  CHECK(cvt(Value::s64, Value::f32, 0x7fc00000) == 1ull << 63);
  CHECK(cvt(Value::u64, Value::f16, 0x7e00) == 1ull << 63);
  CHECK(cvt(Value::s32, Value::f64, 0x7ff8000000000000) == 0xffffffff80000000);
  CHECK(cvt(Value::u32, Value::f64, 0x7ff8000000000000) == 0x80000000);
  CHECK(cvt(Value::s32, Value::f32, 0x7f800000) == 0x7fffffff);
  CHECK(cvt(Value::u32, Value::f32, 0xff800000) == 0);
  CHECK(cvt(Value::f32, Value::f16, 0xfe01) == 0x7fffffff);
  CHECK(cvt(Value::f32, Value::f64, 0xfff8000000000015) == 0xffc00000);
  CHECK(cvt(Value::f64, Value::f32, 0xffc00015) == 0xfff80002a0000000);
  CHECK(numeric::convert({Value::e4m3, Value::f32, Round::nearest_even, false, false, true}, 0x7f800000) == 0x7e);
  CHECK(numeric::convert({Value::f32, Value::f32, Round::nearest_even, false, true}, 0x7fc00000) == 0);
}

}  // namespace
}  // namespace kerlab::emu
