// f32, f64, f16 and bf16 arithmetic and comparisons against C's own, in all rounding modes.

#include <bit>
#include <cfenv>
#include <cmath>

#include "device/emu/float_draws.h"
#include "device/emu/handler_check.h"

namespace kerlab::emu {
namespace portable {
Handler select_floating(const ptx::Instruction& instruction);
}
namespace v3 {
Handler select_floating(const ptx::Instruction& instruction);
}

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using In = const LaneInput&;

/// A 16-bit format: how many bits its numbers have, and the exponent of its smallest normal one.
struct Format {
  int precision, smallest_exponent, fraction_bits;
  u16 infinity, nan = 0x7fff;
};
constexpr Format kHalf = {11, -14, 10, 0x7c00};
constexpr Format kBfloat = {8, -126, 7, 0x7f80};

double widen(u64 bits, const Format& format) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const u64 magnitude = bits & 0x7fff;
  if (magnitude > format.infinity) return std::copysign(NAN, sign);
  if (magnitude == format.infinity) return sign * INFINITY;
  const auto exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const u64 fraction = magnitude & ((1u << format.fraction_bits) - 1);
  const u64 significand = exponent == 0 ? fraction : fraction | 1u << format.fraction_bits;
  return sign * std::ldexp(static_cast<double>(significand),
                           std::max(exponent, 1) - 1 + format.smallest_exponent - format.fraction_bits);
}
/// To nearest even; `value` is exact or rounded to odd.
u64 narrow(double value, const Format& format) {
  if (std::isnan(value)) return format.nan;
  const u64 sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  int exponent = format.smallest_exponent;
  if (std::isinf(value)) return sign | format.infinity;
  if (magnitude > 0) exponent = std::max(exponent, std::ilogb(magnitude));
  const int last_place = exponent - format.precision + 1;
  const auto units = static_cast<u64>(std::nearbyint(std::ldexp(magnitude, -last_place)));
  const u64 biased = static_cast<u64>(exponent - format.smallest_exponent) << format.fraction_bits;
  return sign | std::min<u64>(biased + units, format.infinity);  // a carry runs into the exponent
}
/// a * b + c rounded to odd in double.
double fused_odd(double a, double b, double c) {
  volatile double x = a;
  volatile double y = b;
  volatile double z = c;
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TOWARDZERO);
  volatile double sum = std::fma(x, y, z);
  std::fesetround(FE_TONEAREST);
  if (std::isnan(sum) || std::fetestexcept(FE_INEXACT) == 0) {
    if (sum == 0) return a * b + c;  // the sign of an exact zero is that of rounding to nearest
    return sum;
  }
  return std::bit_cast<double>(std::bit_cast<u64>(static_cast<double>(sum)) | 1);
}

/// For halves, one or two in a register.
Draw draw_half(const Format& format) {
  return [format](std::mt19937_64& random, int bits) -> u64 {
    if (bits == 1) return random() & 1;
    auto one = [&]() -> u64 {
      const u16 special[] = {0,
                             0x8000,
                             1,
                             0x8001,
                             static_cast<u16>(1 << format.fraction_bits),
                             static_cast<u16>((1 << format.fraction_bits) - 1),
                             format.infinity,
                             static_cast<u16>(format.infinity | 0x8000),
                             static_cast<u16>(format.infinity - 1),
                             static_cast<u16>(format.infinity + 1),
                             0x7fff,
                             0xffff,
                             0x3c00,
                             0x3f80,
                             0xbc00,
                             0xbf80};
      if (random() % 4 == 0) return special[random() % std::size(special)];
      if (random() % 3 == 0) return (random() & 0x87ff) + 0x3800;
      return random() & 0xffff;
    };
    return bits == 16 ? one() : one() | one() << 16;
  };
}

void check(const std::string& text, const Draw& draw, const Expression& expression, int rounds = 200) {
  check_handler(portable::select_floating, v3::select_floating, text, expression, {draw, rounds});
}

struct Mode {
  const char* suffix;
  int rounding;
};
constexpr Mode kModes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

/// f in a rounding mode, its operands hidden from the optimiser.
template <class T, class F>
T in_mode(int rounding, F f, T a, T b, T c) {
  volatile T x = a;
  volatile T y = b;
  volatile T z = c;
  std::fesetround(rounding);
  volatile T result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class F>
void check_single(const std::string& opcode, const std::string& operands, F f) {
  for (const Mode& mode : kModes) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        const std::string text = opcode + mode.suffix + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + ".f32 " + operands;
        check(
            text, draw_single,
            [=](In in) {
              auto source = [&](std::size_t n) { return ftz ? flush(single(in.source[n])) : single(in.source[n]); };
              const float exact = in_mode<float>(mode.rounding, f, source(0), source(1), source(2));
              const float result = ftz ? flush(exact) : exact;
              return LaneResult(sat ? saturate(result) : bits_of(result));
            },
            100);
      }
    }
  }
}

/// A NaN result: the last operand that is NaN, quiet, else the invalid operation's.
u64 double_bits(double result, In in, std::size_t sources) {
  if (!std::isnan(result)) return std::bit_cast<u64>(result);
  for (std::size_t n = sources; n-- > 0;) {
    if (std::isnan(as_double(in.source[n]))) return in.source[n] | 1ull << 51;
  }
  return 0x1fffull << 51;
}
template <class F>
void check_double(const std::string& opcode, const std::string& operands, std::size_t sources, F f) {
  for (const Mode& mode : kModes) {
    check(opcode + mode.suffix + ".f64 " + operands, draw_double, [=](In in) {
      const double result =
          in_mode<double>(mode.rounding, f, as_double(in.source[0]), as_double(in.source[1]), as_double(in.source[2]));
      return LaneResult(double_bits(result, in, sources));
    });
  }
}

}  // namespace

TEST_CASE("f32 arithmetic is IEEE's in every rounding mode", "[emu][floating]") {
  check_single("add", "%r0, %r1, %r2", [](float a, float b, float) { return a + b; });
  check_single("sub", "%r0, %r1, %r2", [](float a, float b, float) { return a - b; });
  check_single("mul", "%r0, %r1, %r2", [](float a, float b, float) { return a * b; });
  check_single("fma", "%r0, %r1, %r2, %r3", [](float a, float b, float c) { return std::fma(a, b, c); });
  check("add.f32 %r0, %r1, %r2", draw_single,
        [](In in) { return bits_of(single(in.source[0]) + single(in.source[1])); });
}

TEST_CASE("f64 arithmetic is IEEE's in every rounding mode", "[emu][floating]") {
  check_double("add", "%rd0, %rd1, %rd2", 2, [](double a, double b, double) { return a + b; });
  check_double("sub", "%rd0, %rd1, %rd2", 2, [](double a, double b, double) { return a - b; });
  check_double("mul", "%rd0, %rd1, %rd2", 2, [](double a, double b, double) { return a * b; });
  check_double("fma", "%rd0, %rd1, %rd2, %rd3", 3, [](double a, double b, double c) { return std::fma(a, b, c); });
}

TEST_CASE("the processor's rounding mode is left as it was", "[emu][floating]") {
  for (const auto select : {portable::select_floating, v3::select_floating}) {
    HandlerBench bench("add.rp.f32 %r0, %r1, %r2");
    const Handler handler = select(bench.instruction());
    bench.run(handler, ~0u);
    REQUIRE(std::fegetround() == FE_TONEAREST);
  }
}

namespace {

template <class T>
T extreme(T a, T b, bool maximum, bool nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (nan || (std::isnan(a) && std::isnan(b))) return std::isnan(a) ? a : b;
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == maximum ? b : a;  // of zeros, the positive one is the larger
  return (a < b) == maximum ? b : a;
}

}  // namespace

TEST_CASE("minimum and maximum ignore NaN unless told", "[emu][floating]") {
  for (const bool maximum : {false, true}) {
    const std::string name = maximum ? "max" : "min";
    for (const bool ftz : {false, true}) {
      for (const bool nan : {false, true}) {
        const std::string modifiers = std::string(ftz ? ".ftz" : "") + (nan ? ".NaN" : "");
        check(name + modifiers + ".f32 %r0, %r1, %r2", draw_single, [=](In in) {
          auto source = [&](std::size_t n) { return ftz ? flush(single(in.source[n])) : single(in.source[n]); };
          return bits_of(extreme(source(0), source(1), maximum, nan));
        });
        check(name + modifiers + ".xorsign.abs.f32 %r0, %r1, %r2", draw_single, [=](In in) {
          auto source = [&](std::size_t n) { return ftz ? flush(single(in.source[n])) : single(in.source[n]); };
          const float of_magnitudes = extreme(std::fabs(source(0)), std::fabs(source(1)), maximum, nan);
          const bool negative = std::signbit(source(0)) != std::signbit(source(1));
          return bits_of(std::copysign(of_magnitudes, negative ? -1.0f : 1.0f));
        });
      }
    }
    check(name + ".f64 %rd0, %rd1, %rd2", draw_double, [=](In in) {
      return double_bits(extreme(as_double(in.source[0]), as_double(in.source[1]), maximum, false), in, 2);
    });
  }
}

TEST_CASE("signs of floating-point values", "[emu][floating]") {
  check("neg.f32 %r0, %r1", draw_single, [](In in) { return bits_of(-single(in.source[0])); });
  check("abs.f32 %r0, %r1", draw_single, [](In in) { return bits_of(std::fabs(single(in.source[0]))); });
  check("neg.ftz.f32 %r0, %r1", draw_single, [](In in) { return bits_of(-flush(single(in.source[0]))); });
  check("abs.ftz.f32 %r0, %r1", draw_single, [](In in) { return bits_of(std::fabs(flush(single(in.source[0])))); });
  check("neg.f64 %rd0, %rd1", draw_double, [](In in) {
    return std::isnan(as_double(in.source[0])) ? in.source[0] | 1ull << 51 : in.source[0] ^ 1ull << 63;
  });
  check("abs.f64 %rd0, %rd1", draw_double, [](In in) {
    return std::isnan(as_double(in.source[0])) ? in.source[0] | 1ull << 51 : in.source[0] & ~(1ull << 63);
  });
  check("copysign.f32 %r0, %r1, %r2", draw_single,
        [](In in) { return (in.source[0] & 0x80000000) | (in.source[1] & 0x7fffffff); });
  check("copysign.f64 %rd0, %rd1, %rd2", draw_double,
        [](In in) { return (in.source[0] & 1ull << 63) | (in.source[1] & ~(1ull << 63)); });
}

namespace {

struct FloatComparison {
  const char* name;
  bool (*apply)(double, double);
};
constexpr FloatComparison kComparisons[] = {
    {"eq", [](double a, double b) { return a == b; }},
    {"ne", [](double a, double b) { return a < b || a > b; }},
    {"lt", [](double a, double b) { return a < b; }},
    {"le", [](double a, double b) { return a <= b; }},
    {"gt", [](double a, double b) { return a > b; }},
    {"ge", [](double a, double b) { return a >= b; }},
    {"equ", [](double a, double b) { return a == b || std::isunordered(a, b); }},
    {"neu", [](double a, double b) { return a != b; }},
    {"ltu", [](double a, double b) { return !(a >= b); }},
    {"leu", [](double a, double b) { return !(a > b); }},
    {"gtu", [](double a, double b) { return !(a <= b); }},
    {"geu", [](double a, double b) { return !(a < b); }},
    {"num", [](double a, double b) { return !std::isunordered(a, b); }},
    {"nan", [](double a, double b) { return std::isunordered(a, b); }}};

/// `value`: a register's content as a number.
void check_comparisons(const std::string& type, const std::string& reg, const Draw& draw,
                       const std::function<double(u64)>& value) {
  for (const FloatComparison& comparison : kComparisons) {
    auto holds = [=](In in) { return comparison.apply(value(in.source[0]), value(in.source[1])); };
    const std::string sources = reg + "1, " + reg + "2";
    const std::string name = comparison.name;
    const std::string set_type = type.substr(type.rfind('.') + 1);
    const std::string ftz = type.find('.') == std::string::npos ? "" : ".ftz";
    check(
        "setp." + name + "." + type + " %p0, " + sources, draw, [=](In in) { return u64{holds(in)}; }, 60);
    check(
        "setp." + name + ".and." + type + " %p0|%p4, " + sources + ", !%p3", draw,
        [=](In in) { return LaneResult(u64{holds(in) && in.source[2] != 0}, !holds(in) && in.source[2] != 0); }, 60);
    check(
        "set." + name + ftz + ".u32." + set_type + " %r0, " + sources, draw,
        [=](In in) { return holds(in) ? 0xffffffffu : 0u; }, 60);
    check(
        "set." + name + ".or" + ftz + ".f32." + set_type + " %r0, " + sources + ", %p3", draw,
        [=](In in) { return holds(in) || in.source[2] != 0 ? 0x3f800000u : 0u; }, 60);
  }
}

}  // namespace

TEST_CASE("floating-point comparisons, ordered and unordered", "[emu][floating]") {
  check_comparisons("f32", "%r", draw_single, [](u64 bits) { return static_cast<double>(single(bits)); });
  check_comparisons("ftz.f32", "%r", draw_single, [](u64 bits) { return static_cast<double>(flush(single(bits))); });
  check_comparisons("f64", "%rd", draw_double, as_double);
  check_comparisons("f16", "%h", draw_half(kHalf), [](u64 bits) { return widen(bits, kHalf); });
  check_comparisons("bf16", "%h", draw_half(kBfloat), [](u64 bits) { return widen(bits, kBfloat); });
}

TEST_CASE("comparisons of pairs give two results", "[emu][floating]") {
  for (const auto& [type, format] : {std::pair{std::string("f16x2"), kHalf}, {std::string("bf16x2"), kBfloat}}) {
    const u64 one = format.precision == 11 ? 0x3c00 : 0x3f80;
    for (const FloatComparison& comparison : kComparisons) {
      auto holds = [comparison, f = format](In in, int shift) {
        return comparison.apply(widen(in.source[0] >> shift & 0xffff, f), widen(in.source[1] >> shift & 0xffff, f));
      };
      const std::string name = comparison.name;
      check(
          "setp." + name + "." + type + " %p0|%p4, %r1, %r2", draw_half(format),
          [=](In in) { return LaneResult(u64{holds(in, 0)}, holds(in, 16)); }, 60);
      check(
          "setp." + name + ".xor." + type + " %p0|%p4, %r1, %r2, %p3", draw_half(format),
          [=](In in) {
            const bool c = in.source[2] != 0;
            return LaneResult(u64{holds(in, 0) != c}, holds(in, 16) != c);
          },
          60);
      check(
          "set." + name + "." + type + "." + type + " %r0, %r1, %r2", draw_half(format),
          [=](In in) { return (holds(in, 0) ? one : 0) | (holds(in, 16) ? one << 16 : 0); }, 60);
      check(
          "set." + name + ".u32." + type + " %r0, %r1, %r2", draw_half(format),
          [=](In in) { return (holds(in, 0) ? 0xffffu : 0u) | (holds(in, 16) ? 0xffff0000u : 0u); }, 60);
    }
  }
}

TEST_CASE("classes of floating-point numbers", "[emu][floating]") {
  struct Property {
    const char* name;
    bool (*of)(int);
  };
  const Property properties[] = {{"finite", [](int c) { return c != FP_NAN && c != FP_INFINITE; }},
                                 {"infinite", [](int c) { return c == FP_INFINITE; }},
                                 {"number", [](int c) { return c != FP_NAN; }},
                                 {"notanumber", [](int c) { return c == FP_NAN; }},
                                 {"normal", [](int c) { return c == FP_NORMAL || c == FP_ZERO; }},
                                 {"subnormal", [](int c) { return c == FP_SUBNORMAL; }}};
  for (const Property& property : properties) {
    const std::string name = property.name;
    check("testp." + name + ".f32 %p0, %r1", draw_single,
          [=](In in) { return u64{property.of(std::fpclassify(single(in.source[0])))}; });
    check("testp." + name + ".f64 %p0, %rd1", draw_double,
          [=](In in) { return u64{property.of(std::fpclassify(as_double(in.source[0])))}; });
  }
}

namespace {

double flush_half(double x, const Format& format) {
  return std::fabs(x) < std::ldexp(1.0, format.smallest_exponent) ? std::copysign(0.0, x) : x;
}

/// One format's instruction, scalar and as a pair; f: of values rounded to odd in double.
void check_halves(const std::string& opcode, const std::string& type, const Format& format, int sources,
                  const std::function<double(double, double, double)>& f) {
  const bool ftz = opcode.find(".ftz") != std::string::npos;
  const bool sat = opcode.find(".sat") != std::string::npos;
  const bool relu = opcode.find(".relu") != std::string::npos;
  auto one = [=](In in, int shift) {
    auto source = [&](std::size_t n) {
      const double value = widen(in.source[n] >> shift & 0xffff, format);
      return ftz ? flush_half(value, format) : value;
    };
    const u64 rounded = narrow(f(source(0), source(1), source(2)), format);
    double result = widen(rounded, format);
    if (ftz) result = flush_half(result, format);
    if (sat) result = std::isnan(result) || result <= 0 ? 0.0 : std::min(result, 1.0);
    if (relu && !std::isnan(result) && (result < 0 || std::signbit(result))) result = 0.0;
    return narrow(result, format);
  };
  const std::string list = sources == 3 ? "R0, R1, R2, R3" : sources == 2 ? "R0, R1, R2" : "R0, R1";
  auto text = [&](const std::string& suffix, const std::string& reg) {
    std::string result = opcode + "." + type + suffix + " " + list;
    for (std::size_t at = result.find('R'); at != std::string::npos; at = result.find('R')) result.replace(at, 1, reg);
    return result;
  };
  check(text("", "%h"), draw_half(format), [=](In in) { return one(in, 0); });
  check(text("x2", "%r"), draw_half(format), [=](In in) { return one(in, 0) | one(in, 16) << 16; });
}

}  // namespace

TEST_CASE("f16 and bf16 arithmetic is rounded once", "[emu][floating]") {
  auto sum = [](double a, double b, double) { return fused_odd(a, 1, b); };
  auto difference = [](double a, double b, double) { return fused_odd(b, -1, a); };
  auto product = [](double a, double b, double) { return a * b; };  // exact
  for (const std::string modifiers : {"", ".ftz", ".sat", ".ftz.sat"}) {
    check_halves("add" + modifiers, "f16", kHalf, 2, sum);
    check_halves("sub" + modifiers, "f16", kHalf, 2, difference);
    check_halves("mul" + modifiers, "f16", kHalf, 2, product);
    check_halves("fma.rn" + modifiers, "f16", kHalf, 3, fused_odd);
  }
  check_halves("fma.rn.relu", "f16", kHalf, 3, fused_odd);
  check_halves("fma.rn.ftz.relu", "f16", kHalf, 3, fused_odd);
  check_halves("add.rn", "bf16", kBfloat, 2, sum);
  check_halves("sub.rn", "bf16", kBfloat, 2, difference);
  check_halves("mul.rn", "bf16", kBfloat, 2, product);
  check_halves("fma.rn", "bf16", kBfloat, 3, fused_odd);
  check_halves("fma.rn.relu", "bf16", kBfloat, 3, fused_odd);
}

TEST_CASE("f16 and bf16 extremes and signs", "[emu][floating]") {
  for (const bool maximum : {false, true}) {
    for (const bool nan : {false, true}) {
      const std::string name = std::string(maximum ? "max" : "min");
      const std::string suffix = nan ? ".NaN" : "";
      auto plain = [=](double a, double b, double) { return extreme(a, b, maximum, nan); };
      auto of_magnitudes = [=](double a, double b, double) {
        return std::copysign(extreme(std::fabs(a), std::fabs(b), maximum, nan),
                             std::signbit(a) != std::signbit(b) ? -1.0 : 1.0);
      };
      check_halves(name + suffix, "f16", kHalf, 2, plain);
      check_halves(name + ".ftz" + suffix, "f16", kHalf, 2, plain);
      check_halves(name + suffix + ".xorsign.abs", "f16", kHalf, 2, of_magnitudes);
      check_halves(name + suffix, "bf16", kBfloat, 2, plain);
      check_halves(name + suffix + ".xorsign.abs", "bf16", kBfloat, 2, of_magnitudes);
    }
  }
  for (const std::string type : {"f16", "bf16"}) {
    const Format& format = type == "f16" ? kHalf : kBfloat;
    const Draw draw = draw_half(format);
    auto signs = [&format](u64 flip, u64 keep) {
      return [&format, flip, keep](In in) {
        u64 result = 0;
        for (int shift = 0; shift < 32; shift += 16) {
          const u64 half = in.source[0] >> shift & 0xffff;
          result |= ((half & 0x7fff) > format.infinity ? u64{format.nan} : (half ^ flip) & keep) << shift;
        }
        return result;
      };
    };
    check("neg." + type + " %h0, %h1", draw, [=](In in) { return signs(0x8000, 0xffff)(in) & 0xffff; });
    check("abs." + type + " %h0, %h1", draw, [=](In in) { return signs(0, 0x7fff)(in) & 0xffff; });
    check("neg." + type + "x2 %r0, %r1", draw, signs(0x8000, 0xffff));
    check("abs." + type + "x2 %r0, %r1", draw, signs(0, 0x7fff));
  }
}

}  // namespace kerlab::emu
