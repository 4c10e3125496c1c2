// Reciprocals, roots, quotients: IEEE's where rounded; approximations within the GPU's own errors.

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "device/emu/float_draws.h"
#include "device/emu/handler_check.h"

namespace kerlab::emu {
namespace portable {
Handler select_approximate(const ptx::Instruction& instruction);
}
namespace v3 {
Handler select_approximate(const ptx::Instruction& instruction);
}

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using In = const LaneInput&;

void check(const std::string& text, const Draw& draw, const Expression& expression) {
  check_handler(portable::select_approximate, v3::select_approximate, text, expression, {draw, 150});
}

struct Mode {
  const char* suffix;
  int rounding;
};
constexpr Mode kModes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

template <class T, class F>
T in_mode(int rounding, F f, T a, T b) {
  volatile T x = a;
  volatile T y = b;
  std::fesetround(rounding);
  volatile T result = f(x, y);
  std::fesetround(FE_TONEAREST);
  return result;
}
template <class F>
void check_rounded(const std::string& opcode, std::size_t sources, F f) {
  for (const Mode& mode : kModes) {
    for (const bool ftz : {false, true}) {
      check(opcode + mode.suffix + (ftz ? ".ftz" : "") + ".f32 %r0, %r1" + (sources == 2 ? ", %r2" : ""), draw_single,
            [=](In in) {
              auto source = [&](std::size_t n) { return ftz ? flush(single(in.source[n])) : single(in.source[n]); };
              const float result = in_mode<float>(mode.rounding, f, source(0), source(1));
              if (!ftz || sources == 1) return bits_of(ftz ? flush(result) : result);
              // A quotient is flushed if it is tiny after rounding as if exponents had no end.
              const float far = in_mode<float>(mode.rounding, f, source(0) * 0x1p64f, source(1));
              return bits_of(std::fabs(far) < 0x1p-62f ? std::copysign(0.0f, result) : result);
            });
    }
    check(opcode + mode.suffix + ".f64 %rd0, %rd1" + (sources == 2 ? ", %rd2" : ""), draw_double, [=](In in) {
      const double result = in_mode<double>(mode.rounding, f, as_double(in.source[0]), as_double(in.source[1]));
      if (!std::isnan(result)) return LaneResult(std::bit_cast<u64>(result));
      for (std::size_t n = 0; n < sources; ++n) {
        if (std::isnan(as_double(in.source[n]))) return LaneResult(in.source[n] | 1ull << 51);
      }
      return LaneResult(0xfff8ull << 48);
    });
  }
}

}  // namespace

TEST_CASE("rounded reciprocals, roots and quotients are IEEE's", "[emu][approximate]") {
  check_rounded("rcp", 1, [](auto a, auto) { return 1 / a; });
  check_rounded("sqrt", 1, [](auto a, auto) { return std::sqrt(a); });
  check_rounded("div", 2, [](auto a, auto b) { return a / b; });
}

namespace {

/// The results of one instruction for operands a (and b), from both builds, which must agree.
std::vector<u64> results(const std::string& text, const std::vector<u64>& a, const std::vector<u64>& b = {}) {
  HandlerBench bench(text);
  std::vector<u64> first;
  for (const auto select : {portable::select_approximate, v3::select_approximate}) {
    if (select == v3::select_approximate && !__builtin_cpu_supports("avx2")) break;
    const Handler handler = select(bench.instruction());
    INFO(text);
    REQUIRE(handler != nullptr);
    std::vector<u64> all;
    for (std::size_t begin = 0; begin < a.size(); begin += kLanes) {
      const auto count = static_cast<int>(std::min<std::size_t>(kLanes, a.size() - begin));
      for (int lane = 0; lane < count; ++lane) {
        bench.put(bench.place(1), lane, a[begin + static_cast<std::size_t>(lane)]);
        if (!b.empty()) bench.put(bench.place(2), lane, b[begin + static_cast<std::size_t>(lane)]);
      }
      bench.run(handler, ~0u);
      for (int lane = 0; lane < count; ++lane) all.push_back(bench.take(bench.place(0), lane));
    }
    if (first.empty()) {
      first = all;
    } else {
      REQUIRE(first == all);
    }
  }
  return first;
}

/// Largest error of an f32 function over `count` operands in [low, high], relative or absolute, as a power of two.
double largest_error(const std::string& text, double (*exact)(double), float low, float high, bool relative,
                     int count = 200000) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<u64> operands;
  for (int i = 0; i < count; ++i) operands.push_back(std::bit_cast<u32>(draw(random)));
  const std::vector<u64> got = results(text, operands);
  double worst = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const double truth = exact(single(operands[i]));
    const double error = std::fabs(single(got[i]) - truth);
    worst = std::max(worst, relative && truth != 0 ? error / std::fabs(truth) : error);
  }
  return std::log2(worst);
}

}  // namespace

TEST_CASE("approximations are at least as good as an H200's", "[emu][approximate]") {
  CHECK(largest_error(
            "ex2.approx.f32 %r0, %r1", [](double x) { return std::exp2(x); }, -40, 40, true) <= -22.7);
  CHECK(largest_error(
            "rcp.approx.f32 %r0, %r1", [](double x) { return 1 / x; }, 0.5f, 4, true) <= -23.3);
  CHECK(largest_error(
            "rsqrt.approx.f32 %r0, %r1", [](double x) { return 1 / std::sqrt(x); }, 0.25f, 8, true) <= -22.9);
  CHECK(largest_error(
            "sqrt.approx.f32 %r0, %r1", [](double x) { return std::sqrt(x); }, 0.25f, 8, true) <= -23.3);
  CHECK(largest_error(
            "lg2.approx.f32 %r0, %r1", [](double x) { return std::log2(x); }, 0.5f, 2, false) <= -22.1);
  CHECK(largest_error(
            "lg2.approx.f32 %r0, %r1", [](double x) { return std::log2(x); }, 2, 1e30f, true) <= -22.1);
  CHECK(largest_error(
            "sin.approx.f32 %r0, %r1", [](double x) { return std::sin(x); }, -3.1415927f, 3.1415927f, false) <= -21.4);
  CHECK(largest_error(
            "cos.approx.f32 %r0, %r1", [](double x) { return std::cos(x); }, -3.1415927f, 3.1415927f, false) <= -21.4);
  CHECK(largest_error(
            "sin.approx.f32 %r0, %r1", [](double x) { return std::sin(x); }, -1e6f, 1e6f, false) <= -21.4);
  CHECK(largest_error(
            "tanh.approx.f32 %r0, %r1", [](double x) { return std::tanh(x); }, -5, 5, true) <= -16.5);
  CHECK(largest_error(
            "tanh.approx.f32 %r0, %r1", [](double x) { return std::tanh(x); }, -1e-3f, 1e-3f, true) <= -16.5);
}

TEST_CASE("tanh.approx is no better than an H200's", "[emu][approximate]") {
  const auto error = [](float low, float high) {
    return largest_error(
        "tanh.approx.f32 %r0, %r1", [](double x) { return std::tanh(x); }, low, high, true, 20000);
  };
  CHECK(error(-5, 5) >= -16.7);  // conformance/expected has 2^-16.69
  CHECK(error(0.004f, 0.016f) >= -17.6);
  CHECK(error(0.0019f, 0.002f) >= -19.7);
  CHECK(error(0.0019f, 0.002f) <= -19.4);
  CHECK(error(3.9f, 4.1f) >= -20);
  CHECK(error(3.9f, 4.1f) <= -18.8);
  const auto bits = [](float x) { return results("tanh.approx.f32 %r0, %r1", {std::bit_cast<u32>(x)}).at(0); };
  CHECK(bits(-0.7f) == (bits(0.7f) ^ 0x80000000u));
  CHECK(bits(30) == bits_of(1));
}

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// f(operand) is this, to the bit.
void special(const std::string& text, float operand, float expected) {
  INFO(text << " of " << operand);
  REQUIRE(results(text, {std::bit_cast<u32>(operand)}).at(0) == bits_of(expected));
}

}  // namespace

TEST_CASE("approximations of corners are as documented", "[emu][approximate]") {
  const float tiny = 0x1p-140f;
  const std::string ex2 = "ex2.approx.f32 %r0, %r1";
  special(ex2, -kInf, 0);
  special(ex2, kInf, kInf);
  special(ex2, 0, 1);
  special(ex2, -0.0f, 1);
  special(ex2, tiny, 1);
  special(ex2, 10, 1024);
  special(ex2, -140, 0x1p-140f);
  special(ex2, 128, kInf);
  special(ex2, -200, 0);
  special(ex2, NAN, NAN);
  special("ex2.approx.ftz.f32 %r0, %r1", -140, 0);
  const std::string lg2 = "lg2.approx.f32 %r0, %r1";
  special(lg2, 0, -kInf);
  special(lg2, -0.0f, -kInf);
  special(lg2, kInf, kInf);
  special(lg2, 1, 0);
  special(lg2, 1024, 10);
  special(lg2, tiny, -140);
  special(lg2, -1, NAN);
  special(lg2, NAN, NAN);
  special("lg2.approx.ftz.f32 %r0, %r1", tiny, -kInf);
  const std::string rcp = "rcp.approx.f32 %r0, %r1";
  special(rcp, 0, kInf);
  special(rcp, -0.0f, -kInf);
  special(rcp, -kInf, -0.0f);
  special(rcp, 0x1p127f, 0x1p-127f);
  special("rcp.approx.ftz.f32 %r0, %r1", 0x1p127f, 0);
  special("rcp.approx.ftz.f32 %r0, %r1", -tiny, -kInf);
  const std::string rsqrt = "rsqrt.approx.f32 %r0, %r1";
  special(rsqrt, 0, kInf);
  special(rsqrt, -0.0f, -kInf);
  special(rsqrt, kInf, 0);
  special(rsqrt, -1, NAN);
  special(rsqrt, 0x1p-140f, 0x1p70f);
  special("rsqrt.approx.ftz.f32 %r0, %r1", tiny, kInf);
  special("sqrt.approx.f32 %r0, %r1", -0.0f, -0.0f);
  special("sqrt.approx.f32 %r0, %r1", -1, NAN);
  special("sqrt.approx.ftz.f32 %r0, %r1", tiny, 0);
  for (const std::string name : {"sin", "cos"}) {
    special(name + ".approx.f32 %r0, %r1", kInf, NAN);
    special(name + ".approx.f32 %r0, %r1", -kInf, NAN);
    special(name + ".approx.f32 %r0, %r1", NAN, NAN);
  }
  special("sin.approx.f32 %r0, %r1", 0, 0);
  special("sin.approx.f32 %r0, %r1", -0.0f, -0.0f);
  special("cos.approx.f32 %r0, %r1", 0, 1);
  const std::string tanh = "tanh.approx.f32 %r0, %r1";
  special(tanh, 0, 0);
  special(tanh, -0.0f, -0.0f);
  special(tanh, kInf, 1);
  special(tanh, -100, -1);
  special(tanh, NAN, NAN);
}

TEST_CASE("approximate quotients", "[emu][approximate]") {
  std::mt19937_64 random(5);
  std::vector<u64> a;
  std::vector<u64> b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(draw_single(random, 32));
    b.push_back(draw_single(random, 32));
  }
  for (const std::string form : {"div.approx.f32", "div.full.f32", "div.approx.ftz.f32", "div.full.ftz.f32"}) {
    const bool ftz = form.find("ftz") != std::string::npos;
    const bool approx = form.find("approx") != std::string::npos;
    const std::vector<u64> got = results(form + " %r0, %r1, %r2", a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const float x = ftz ? flush(single(a[i])) : single(a[i]);
      float y = ftz ? flush(single(b[i])) : single(b[i]);
      if (approx && std::fabs(y) > 0x1p126f) y = std::copysign(kInf, y);
      const float exact = ftz ? flush(x / y) : x / y;
      INFO(form << " of " << x << " and " << y);
      REQUIRE(got[i] == bits_of(exact));
    }
  }
}

TEST_CASE("f64 approximations have the upper word alone", "[emu][approximate]") {
  std::mt19937_64 random(6);
  std::vector<u64> a;
  for (int i = 0; i < 5000; ++i) a.push_back(draw_double(random, 64));
  struct Function {
    const char* text;
    double (*exact)(double);
  };
  for (const Function& f : {Function{"rcp.approx.ftz.f64 %rd0, %rd1", [](double x) { return 1 / x; }},
                            Function{"rsqrt.approx.ftz.f64 %rd0, %rd1", [](double x) { return 1 / std::sqrt(x); }}}) {
    const std::vector<u64> got = results(f.text, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double upper = as_double(a[i] & 0xffffffff00000000);
      const double x = std::fabs(upper) < 0x1p-1022 ? std::copysign(0.0, upper) : upper;
      const double truth = f.exact(x);
      INFO(f.text << " of " << x);
      REQUIRE((got[i] & 0xffffffff) == 0);
      if (std::isnan(truth)) {
        REQUIRE(got[i] == 0x7fffffffull << 32);
      } else if (std::fabs(truth) < 0x1p-1022) {
        REQUIRE(got[i] == (std::signbit(truth) ? 1ull << 63 : 0));
      } else if (std::isinf(truth)) {
        REQUIRE(as_double(got[i]) == truth);
      } else {
        REQUIRE(std::fabs(as_double(got[i]) - truth) <= std::fabs(truth) * 0x1p-20);
      }
    }
  }
  const double root = as_double(results("rsqrt.approx.f64 %rd0, %rd1", {std::bit_cast<u64>(3.0)}).at(0));
  REQUIRE(std::fabs(root - 1 / std::sqrt(3.0)) <= 0x1p-53);
}

TEST_CASE("ex2 and tanh of f16 and bf16", "[emu][approximate]") {
  // All 65536 operands, against f32's function rounded: f16 by _Float16's conversion, bf16 by bits.
  auto half = [](u64 bits) {
    const u64 m = bits & 0x7fff;
    const double value = m > 0x7c00    ? NAN
                         : m == 0x7c00 ? HUGE_VAL
                         : m < 0x400
                             ? static_cast<double>(m) * 0x1p-24
                             : std::ldexp(1024.0 + static_cast<double>(m & 0x3ff), static_cast<int>(m >> 10) - 25);
    return (bits & 0x8000) != 0 ? -value : value;
  };
  auto bfloat = [](u64 bits) { return static_cast<double>(single(bits << 16)); };
  struct Form {
    std::string opcode;
    bool is_half;
    double (*exact)(double);
    double bound;
    bool absolute, ftz;
  };
  auto exp2 = [](double x) { return std::exp2(x); };
  auto tanh = [](double x) { return std::tanh(x); };
  for (const Form& form : {Form{"ex2.approx.f16", true, exp2, 0x1p-9, false, false},
                           Form{"tanh.approx.f16", true, tanh, 0x1p-10, false, false},
                           Form{"ex2.approx.ftz.bf16", false, exp2, 0x1p-7, false, true},
                           Form{"tanh.approx.bf16", false, tanh, 0x1p-8, false, false}}) {
    std::vector<u64> all;
    std::vector<u64> pairs;
    for (u64 i = 0; i < 65536; ++i) all.push_back(i);
    for (u64 i = 0; i < 65536; ++i) pairs.push_back(i | (i ^ 0x1234) << 16);
    const std::vector<u64> one = results(form.opcode + " %h0, %h1", all);
    const std::vector<u64> two = results(form.opcode + "x2 %r0, %r1", pairs);
    auto value = [&](u64 bits) { return form.is_half ? half(bits) : bfloat(bits); };
    const double smallest = form.is_half ? 0x1p-14 : 0x1p-126;
    for (u64 i = 0; i < 65536; ++i) {
      INFO(form.opcode << " of " << value(i));
      REQUIRE(two[i] == (one[i] | one[i ^ 0x1234] << 16));
      const double truth = form.exact(value(i));
      const double got = value(one[i]);
      if (std::isnan(truth)) {
        REQUIRE(one[i] == 0x7fff);
      } else if (std::fabs(truth) < smallest) {
        REQUIRE(std::fabs(got - truth) <= (form.ftz ? smallest : smallest * form.bound));
      } else if (!std::isinf(got)) {
        REQUIRE(std::fabs(got - truth) <= std::fabs(truth) * form.bound);
      } else {
        REQUIRE(truth >= (form.is_half ? 65504 : 3.39e38));
      }
    }
  }
}

}  // namespace kerlab::emu
