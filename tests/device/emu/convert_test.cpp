// cvt: the scalar conversions against tables and long double, the handlers against the scalar conversions.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/numeric/convert_ptx.h"
#include "one_warp.h"

namespace kerlab::emu {
namespace {

using numeric::Conversion;
using numeric::Round;
using numeric::Value;
using ptx::Rounding;
using ptx::Type;

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

ptx::Instruction cvt_instruction(Rounding rounding, Type to, Type from, int sources = 1) {
  ptx::Instruction instruction;
  instruction.opcode = ptx::Opcode::cvt;
  instruction.types = {to, from};
  instruction.modifiers.rounding = rounding;
  instruction.operands.resize(static_cast<std::size_t>(1 + sources));
  return instruction;
}

std::vector<ptx::Instruction> all_conversions() {
  std::vector<ptx::Instruction> all;
  const auto add = [&](const ptx::Instruction& one, bool sat = false, bool ftz = false, bool relu = false) {
    all.push_back(one);
    all.back().modifiers.sat = sat;
    all.back().modifiers.ftz = ftz;
    all.back().modifiers.relu = relu;
  };
  const Type integers[] = {Type::u8, Type::s8, Type::u16, Type::s16, Type::u32, Type::s32, Type::u64, Type::s64};
  const Type floats[] = {Type::f16, Type::bf16, Type::f32, Type::f64};
  const Rounding whole[] = {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi};
  const Rounding near[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};
  for (const Type to : integers) {
    for (const Type from : integers) {
      for (const bool sat : {false, true}) add(cvt_instruction(Rounding::none, to, from), sat);
    }
    for (const Type from : floats) {
      for (const Rounding r : whole) {
        for (const bool ftz : {false, true}) add(cvt_instruction(r, to, from), false, ftz && from == Type::f32);
      }
    }
  }
  for (const Type to : floats) {
    for (const Type from : integers) {
      for (const Rounding r : near) add(cvt_instruction(r, to, from));
    }
    for (const Type from : floats) {
      const bool narrows = ptx::bits(to) < ptx::bits(from) || (ptx::bits(to) == 16 && from != to);
      const bool f32_there = to == Type::f32 || from == Type::f32;
      for (const bool ftz : {false, true}) {
        for (const bool sat : {false, true}) {
          for (int i = 0; i < 4; ++i) {
            if (narrows) add(cvt_instruction(near[i], to, from), sat, ftz && f32_there);
            if (to == from) add(cvt_instruction(whole[i], to, from), sat, ftz && f32_there);
          }
          if (!narrows) add(cvt_instruction(Rounding::none, to, from), sat, ftz && f32_there);
        }
      }
    }
  }
  for (const bool relu : {false, true}) {
    for (const Rounding r : {Rounding::rn, Rounding::rz}) {
      for (const Type to : {Type::f16, Type::bf16, Type::tf32})
        add(cvt_instruction(r, to, Type::f32), false, false, relu);
      for (const Type to : {Type::f16x2, Type::bf16x2}) add(cvt_instruction(r, to, Type::f32, 2), false, false, relu);
    }
    for (const Type pair : {Type::e4m3x2, Type::e5m2x2}) {
      add(cvt_instruction(Rounding::rn, Type::f16x2, pair), false, false, relu);
      for (const int sources : {1, 2}) {
        add(cvt_instruction(Rounding::rn, pair, sources == 1 ? Type::f16x2 : Type::f32, sources), false, false, relu);
        all.back().modifiers.satfinite = true;
      }
    }
  }
  add(cvt_instruction(Rounding::rna, Type::tf32, Type::f32));
  return all;
}

std::uint64_t random_bits(std::mt19937_64& random, const numeric::ConversionPlan& plan) {
  const Value from = plan.one.from;
  const std::uint64_t bits = random();
  if (numeric::is_integer(from))
    return bits % 3 == 0 ? bits >> (bits >> 3) % 64 : bits % 3 == 1 ? 0 - (bits >> (bits >> 3) % 64) : bits;
  const numeric::Format& f = numeric::format_of(from);
  if (bits % 8 == 0) return bits >> 8;
  const int exponents[] = {0, 1, (1 << f.exponent_bits) - 1, (1 << f.exponent_bits) - 2};
  const int near_one = f.bias() - 20 + static_cast<int>((bits >> 8) % 56);
  const int exponent = bits % 8 == 1 ? exponents[bits >> 8 & 3] : std::clamp(near_one, 0, (1 << f.exponent_bits) - 2);
  std::uint64_t fraction = bits >> 12 & ((1ull << f.fraction_bits) - 1);
  if (bits % 4 == 2) fraction &= ~0ull << std::max(0, f.fraction_bits - 1 - static_cast<int>((bits >> 60) % 8));
  if (bits % 16 == 1) fraction = 0;
  return (bits >> 63) << (f.bits() - 1) | static_cast<std::uint64_t>(exponent) << f.fraction_bits | fraction;
}

int register_width(Type type) {
  return std::max(16, ptx::bits(type));
}

/// What the destination register of `width` bits should hold.
std::uint64_t expected(const numeric::ConversionPlan& plan, std::uint64_t a, std::uint64_t b, int width) {
  std::uint64_t result = numeric::convert(plan.one, a);
  if (plan.pair) {
    const std::uint64_t low = plan.two_sources ? b : a,
                        high = plan.two_sources ? a : a >> numeric::bits_of(plan.one.from);
    result = numeric::convert(plan.one, low) | numeric::convert(plan.one, high) << numeric::bits_of(plan.one.to);
  }
  return width == 64 ? result : result & ((1ull << width) - 1);
}

std::uint64_t lane_of(const std::uint32_t* slot, int width, int lane) {
  if (width != 64) return slot[lane];
  std::uint64_t value;
  std::memcpy(&value, slot + 2 * lane, sizeof value);
  return value;
}
void set_lane(std::uint32_t* slot, int width, int lane, std::uint64_t value) {
  if (width == 64) {
    std::memcpy(slot + 2 * lane, &value, sizeof value);
  } else {
    slot[lane] = static_cast<std::uint32_t>(width == 16 ? value & 0xffff : value);
  }
}

/// Lanes that one instruction gets wrong. d, a, b: slots (of two).
struct Layout {
  int d, a, b, wider;  ///< wider: 1 for destination, 2 for source registers as wide as they may be
  std::uint32_t mask;
};
long wrong_lanes(Handler handler, const ptx::Instruction& instruction, const Layout& at, std::mt19937_64& random) {
  numeric::ConversionPlan plan;
  REQUIRE(numeric::plan_conversion(instruction, plan));
  const bool may_widen = !plan.pair;
  const int to =
      may_widen && (at.wider & 1) != 0 && numeric::is_integer(plan.one.to) ? 64 : register_width(instruction.types[0]);
  const int from = may_widen && (at.wider & 2) != 0 && numeric::is_integer(plan.one.from)
                       ? 64
                       : register_width(instruction.types[1]);
  OneWarp warp(6);
  std::uint64_t before[kLanes], a[kLanes], b[kLanes];
  for (int i = 0; i < 6 * kLanes; ++i) warp.slot(0)[i] = static_cast<std::uint32_t>(random());
  for (int lane = 0; lane < kLanes; ++lane) {
    if (plan.two_sources) set_lane(warp.slot(at.b), from, lane, random_bits(random, plan));
    std::uint64_t bits = random_bits(random, plan);
    const int own = numeric::bits_of(plan.one.from);
    if (plan.pair && !plan.two_sources) bits = (bits & ((1ull << own) - 1)) | random_bits(random, plan) << own;
    set_lane(warp.slot(at.a), from, lane, bits);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = lane_of(warp.slot(at.a), from, lane);
    b[lane] = plan.two_sources ? lane_of(warp.slot(at.b), from, lane) : 0;
    before[lane] = lane_of(warp.slot(at.d), to, lane);
  }
  const Op op = scalar_op(handler, instruction, {{at.d, to}, {at.a, from}, {at.b, from}});
  handler(warp.warp(), op, at.mask);
  long wrong = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool active = (at.mask >> lane & 1) != 0;
    const std::uint64_t want = active ? expected(plan, a[lane], b[lane], to) : before[lane];
    wrong += lane_of(warp.slot(at.d), to, lane) != want;
  }
  return wrong;
}

std::string describe(const ptx::Instruction& i) {
  return std::string(ptx::name(i.types[0])) + " from " + std::string(ptx::name(i.types[1])) + " rounding " +
         std::to_string(static_cast<int>(i.modifiers.rounding)) + (i.modifiers.sat ? " sat" : "") +
         (i.modifiers.ftz ? " ftz" : "") + (i.modifiers.relu ? " relu" : "") +
         (i.modifiers.satfinite ? " satfinite" : "");
}

TEST_CASE("cvt in registers, for every type, rounding and modifier", "[cvt]") {
  const std::vector<ptx::Instruction> all = all_conversions();
  CHECK(all.size() > 500);
  for (const Isa& isa : isas()) {
    std::mt19937_64 random(2);
    for (const ptx::Instruction& instruction : all) {
      const Handler handler = isa.convert(instruction);
      INFO(isa.name << ": " << describe(instruction));
      REQUIRE(handler != nullptr);
      long wrong = 0;
      for (int round = 0; round < 12; ++round) {
        const auto mask = static_cast<std::uint32_t>(random());
        wrong += wrong_lanes(handler, instruction, {0, 2, 4, 0, ~0u}, random);
        wrong += wrong_lanes(handler, instruction, {0, 2, 4, round & 3, mask | 1}, random);
        wrong += wrong_lanes(handler, instruction, {2, 2, 4, round & 3, round % 2 == 0 ? ~0u : mask | 4}, random);
        wrong += wrong_lanes(handler, instruction, {4, 2, 4, 0, ~0u}, random);
        if (ptx::bits(instruction.types[0]) != ptx::bits(instruction.types[1])) {
          wrong += wrong_lanes(handler, instruction, {1, 0, 4, 0, ~0u}, random);  // one slot in common
          wrong += wrong_lanes(handler, instruction, {0, 1, 4, 0, mask | 8}, random);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("cvt of all f16 and bf16, as vectors", "[cvt]") {
  for (const Isa& isa : isas()) {
    for (const Type from : {Type::f16, Type::bf16}) {
      const ptx::Instruction up = cvt_instruction(Rounding::none, Type::f32, from),
                             down = cvt_instruction(Rounding::rn, from, Type::f32);
      numeric::ConversionPlan plan_up, plan_down;
      REQUIRE(numeric::plan_conversion(up, plan_up));
      REQUIRE(numeric::plan_conversion(down, plan_down));
      const Handler widen = isa.convert(up), narrow = isa.convert(down);
      OneWarp warp(3);
      const Op first = scalar_op(widen, up, {{1, 32}, {0, 16}}), second = scalar_op(narrow, down, {{2, 16}, {1, 32}});
      long wrong = 0;
      for (std::uint32_t start = 0; start < 65536; start += kLanes) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) warp.slot(0)[lane] = start + lane;
        widen(warp.warp(), first, ~0u);
        narrow(warp.warp(), second, ~0u);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          const std::uint64_t value = numeric::convert(plan_up.one, start + lane);
          wrong += warp.slot(1)[lane] != value;
          wrong += warp.slot(2)[lane] != numeric::convert(plan_down.one, value);
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("speed of cvt", "[.bench]") {
  const ptx::Instruction hot[] = {cvt_instruction(Rounding::rn, Type::bf16x2, Type::f32, 2),
                                  cvt_instruction(Rounding::rn, Type::f16x2, Type::f32, 2),
                                  cvt_instruction(Rounding::rn, Type::f16, Type::f32),
                                  cvt_instruction(Rounding::none, Type::f32, Type::f16),
                                  cvt_instruction(Rounding::none, Type::f32, Type::bf16),
                                  cvt_instruction(Rounding::rn, Type::f32, Type::s32),
                                  cvt_instruction(Rounding::rzi, Type::s32, Type::f32),
                                  cvt_instruction(Rounding::rmi, Type::f32, Type::f32),
                                  cvt_instruction(Rounding::none, Type::s64, Type::s32),
                                  cvt_instruction(Rounding::none, Type::u32, Type::u64),
                                  cvt_instruction(Rounding::none, Type::u16, Type::u32),
                                  cvt_instruction(Rounding::none, Type::f64, Type::f32),
                                  cvt_instruction(Rounding::rn, Type::f32, Type::f64),
                                  cvt_instruction(Rounding::rn, Type::f16x2, Type::e4m3x2),
                                  cvt_instruction(Rounding::rz, Type::f16, Type::f32)};
  for (const Isa& isa : isas()) {
    for (const ptx::Instruction& instruction : hot) {
      const Handler handler = isa.convert(instruction);
      OneWarp warp(6);
      for (int i = 0; i < 6 * kLanes; ++i) warp.slot(0)[i] = 0x3f800000u + static_cast<std::uint32_t>(i) * 4096u;
      const Op op = scalar_op(handler, instruction,
                              {{0, register_width(instruction.types[0])},
                               {2, register_width(instruction.types[1])},
                               {4, register_width(instruction.types[1])}});
      double best = 1;
      for (int repeat = 0; repeat < 300; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 100; ++i) handler(warp.warp(), op, ~0u);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 100);
      }
      std::printf("%-9s %-40s %6.2f G lane-instr/s\n", isa.name, describe(instruction).c_str(), 32 / best * 1e-9);
    }
  }
}

}  // namespace
}  // namespace kerlab::emu
