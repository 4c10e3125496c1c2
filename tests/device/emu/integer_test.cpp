// Integer arithmetic, comparisons and moves against scalar expressions.

#include <bit>
#include <limits>

#include "device/emu/integer_check.h"

namespace kerlab::emu {
namespace {

using u8 = std::uint8_t;
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

/// The operands as T; the result's bits.
template <class T, class F>
Expression of(F f) {
  return [f](const LaneInput& in) {
    return LaneResult(
        static_cast<u64>(f(static_cast<T>(in.source[0]), static_cast<T>(in.source[1]), static_cast<T>(in.source[2]))));
  };
}

/// "add.{}" for every integer type, `registers` beginning with the destination: "R0, R1, R2" with the right kind of R.
template <class F>
void check_types(const std::string& opcode, const std::string& operands, F f, bool only_signed = false) {
  auto one = [&](auto tag, const std::string& type, const std::string& reg) {
    using T = decltype(tag);
    std::string text = opcode + "." + type + " " + operands;
    for (std::size_t at = text.find('R'); at != std::string::npos; at = text.find('R')) text.replace(at, 1, reg);
    check(text, of<T>(f));
  };
  one(i16{}, "s16", "%h");
  one(i32{}, "s32", "%r");
  one(i64{}, "s64", "%rd");
  if (only_signed) return;
  one(u16{}, "u16", "%h");
  one(u32{}, "u32", "%r");
  one(u64{}, "u64", "%rd");
}

template <class T>
T wrapped_product(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
T high_product(T a, T b) {
  constexpr int bits = static_cast<int>(sizeof(T)) * 8;
  using Wide = std::conditional_t<std::is_signed_v<T>, i128, u128>;
  return static_cast<T>((Wide{a} * b) >> bits);
}
i32 clamp32(i64 value) {
  return static_cast<i32>(std::clamp<i64>(value, std::numeric_limits<i32>::min(), std::numeric_limits<i32>::max()));
}

}  // namespace

TEST_CASE("integer sums, products and their pieces", "[emu][integer]") {
  check_types("add", "R0, R1, R2", [](auto a, auto b, auto) { return static_cast<u64>(a) + static_cast<u64>(b); });
  check_types("sub", "R0, R1, R2", [](auto a, auto b, auto) { return static_cast<u64>(a) - static_cast<u64>(b); });
  check_types("mul.lo", "R0, R1, R2", [](auto a, auto b, auto) { return wrapped_product(a, b); });
  check_types("mul.hi", "R0, R1, R2", [](auto a, auto b, auto) { return high_product(a, b); });
  check_types("mad.lo", "R0, R1, R2, R3",
              [](auto a, auto b, auto c) { return static_cast<u64>(wrapped_product(a, b)) + static_cast<u64>(c); });
  check_types("mad.hi", "R0, R1, R2, R3",
              [](auto a, auto b, auto c) { return static_cast<u64>(high_product(a, b)) + static_cast<u64>(c); });
  check_types("sad", "R0, R1, R2, R3", [](auto a, auto b, auto c) {
    const i128 difference = i128{a} - i128{b};
    return static_cast<u64>(c) + static_cast<u64>(difference < 0 ? -difference : difference);
  });
  check("mul.wide.s16 %r0, %h1, %h2", of<i16>([](i64 a, i64 b, i64) { return a * b; }));
  check("mul.wide.u16 %r0, %h1, %h2", of<u16>([](u64 a, u64 b, u64) { return a * b; }));
  check("mul.wide.s32 %rd0, %r1, %r2", of<i32>([](i64 a, i64 b, i64) { return a * b; }));
  check("mul.wide.u32 %rd0, %r1, %r2", of<u32>([](u64 a, u64 b, u64) { return a * b; }));
  check("mad.wide.s16 %r0, %h1, %h2, %r3", [](const LaneInput& in) {
    return i64{static_cast<i16>(in.source[0])} * static_cast<i16>(in.source[1]) + in.source[2];
  });
  check("mad.wide.u16 %r0, %h1, %h2, %r3",
        [](const LaneInput& in) { return in.source[0] * in.source[1] + in.source[2]; });
  check("mad.wide.s32 %rd0, %r1, %r2, %rd3", [](const LaneInput& in) {
    return static_cast<u64>(i64{static_cast<i32>(in.source[0])} * static_cast<i32>(in.source[1])) + in.source[2];
  });
  check("mad.wide.u32 %rd0, %r1, %r2, %rd3",
        [](const LaneInput& in) { return in.source[0] * in.source[1] + in.source[2]; });
}

TEST_CASE("a product of two registers may overwrite one of the source's halves", "[emu][integer]") {
  for (const auto select : {portable::select_integer, v3::select_integer}) {
    for (const int half : {0, 1}) {
      HandlerBench bench("mul.wide.u32 %rd0, %r1, %r2");
      const Handler handler = select(bench.instruction());
      bench.op().slot[1] = bench.op().slot[0] + half;  // the source lies in one slot of the destination
      for (int lane = 0; lane < kLanes; ++lane) {
        bench.put({bench.op().slot[1], 32}, lane, static_cast<u64>(lane) + 0x80000000u);
        bench.set("%r2", lane, 3);
      }
      bench.run(handler, ~0u);
      for (int lane = 0; lane < kLanes; ++lane)
        REQUIRE(bench.get("%rd0", lane) == (static_cast<u64>(lane) + 0x80000000u) * 3);
    }
  }
}

TEST_CASE("saturating and 24-bit integer arithmetic", "[emu][integer]") {
  auto low24 = [](auto a) {
    return std::is_signed_v<decltype(a)> ? static_cast<i64>(static_cast<i32>(static_cast<u32>(a) << 8) >> 8)
                                         : static_cast<i64>(a & 0xffffff);
  };
  auto product = [low24](auto a, auto b) { return low24(a) * low24(b); };
  check("add.sat.s32 %r0, %r1, %r2", of<i32>([](i64 a, i64 b, i64) { return clamp32(a + b); }));
  check("sub.sat.s32 %r0, %r1, %r2", of<i32>([](i64 a, i64 b, i64) { return clamp32(a - b); }));
  check("mad.hi.sat.s32 %r0, %r1, %r2, %r3",
        of<i32>([](i32 a, i32 b, i32 c) { return clamp32(i64{high_product(a, b)} + c); }));
  check("mul24.lo.s32 %r0, %r1, %r2", of<i32>([=](i32 a, i32 b, i32) { return product(a, b); }));
  check("mul24.lo.u32 %r0, %r1, %r2", of<u32>([=](u32 a, u32 b, u32) { return product(a, b); }));
  check("mul24.hi.s32 %r0, %r1, %r2", of<i32>([=](i32 a, i32 b, i32) { return product(a, b) >> 16; }));
  check("mul24.hi.u32 %r0, %r1, %r2", of<u32>([=](u32 a, u32 b, u32) { return product(a, b) >> 16; }));
  check("mad24.lo.s32 %r0, %r1, %r2, %r3", of<i32>([=](i32 a, i32 b, i32 c) { return product(a, b) + c; }));
  check("mad24.lo.u32 %r0, %r1, %r2, %r3", of<u32>([=](u32 a, u32 b, u32 c) { return product(a, b) + c; }));
  check("mad24.hi.s32 %r0, %r1, %r2, %r3", of<i32>([=](i32 a, i32 b, i32 c) { return (product(a, b) >> 16) + c; }));
  check("mad24.hi.u32 %r0, %r1, %r2, %r3", of<u32>([=](u32 a, u32 b, u32 c) { return (product(a, b) >> 16) + c; }));
  check("mad24.hi.sat.s32 %r0, %r1, %r2, %r3",
        of<i32>([=](i32 a, i32 b, i32 c) { return clamp32(i64{static_cast<i32>(product(a, b) >> 16)} + c); }));
}

TEST_CASE("division by zero and of the most negative integer", "[emu][integer]") {
  check_types("div", "R0, R1, R2", [](auto a, auto b, auto) {
    using T = decltype(a);
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(u64{0} - static_cast<u64>(a));
    return static_cast<T>(a / b);
  });
  check_types("rem", "R0, R1, R2", [](auto a, auto b, auto) {
    using T = decltype(a);
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
    return static_cast<T>(a % b);
  });
}

TEST_CASE("integer sign, minimum and maximum", "[emu][integer]") {
  check_types(
      "neg", "R0, R1", [](auto a, auto, auto) { return u64{0} - static_cast<u64>(a); }, true);
  check_types(
      "abs", "R0, R1", [](auto a, auto, auto) { return a < 0 ? u64{0} - static_cast<u64>(a) : static_cast<u64>(a); },
      true);
  check_types("min", "R0, R1, R2", [](auto a, auto b, auto) { return std::min(a, b); });
  check_types("max", "R0, R1, R2", [](auto a, auto b, auto) { return std::max(a, b); });
  check("min.relu.s32 %r0, %r1, %r2", of<i32>([](i32 a, i32 b, i32) { return std::max(0, std::min(a, b)); }));
  check("max.relu.s32 %r0, %r1, %r2", of<i32>([](i32 a, i32 b, i32) { return std::max(0, std::max(a, b)); }));
  auto pair = [](auto f) {
    return [f](const LaneInput& in) {
      u64 result = 0;
      for (int half = 0; half < 2; ++half) {
        const auto a = static_cast<u16>(in.source[0] >> 16 * half);
        const auto b = static_cast<u16>(in.source[1] >> 16 * half);
        result |= u64{static_cast<u16>(f(a, b))} << 16 * half;
      }
      return LaneResult(result);
    };
  };
  check("add.u16x2 %r0, %r1, %r2", pair([](u16 a, u16 b) { return a + b; }));
  check("add.s16x2 %r0, %r1, %r2", pair([](u16 a, u16 b) { return a + b; }));
  check("min.u16x2 %r0, %r1, %r2", pair([](u16 a, u16 b) { return std::min(a, b); }));
  check("max.u16x2 %r0, %r1, %r2", pair([](u16 a, u16 b) { return std::max(a, b); }));
  check("min.s16x2 %r0, %r1, %r2", pair([](i16 a, i16 b) { return std::min(a, b); }));
  check("max.s16x2 %r0, %r1, %r2", pair([](i16 a, i16 b) { return std::max(a, b); }));
  check("max.relu.s16x2 %r0, %r1, %r2", pair([](i16 a, i16 b) { return std::max(i16{0}, std::max(a, b)); }));
  check("min.relu.s16x2 %r0, %r1, %r2", pair([](i16 a, i16 b) { return std::max(i16{0}, std::min(a, b)); }));
}

namespace {

/// a + b + carry, or a - b - (1 - carry), in `bits`; the carry is what falls out on top, of a difference that nothing
/// was borrowed (as on an H200).
template <int bits, bool subtract, bool use>
LaneResult chain(u64 a, u64 b, bool carry) {
  const u128 all = (u128{1} << bits) - 1;
  const u128 in = use && carry != subtract ? 1 : 0;
  const u128 sum = subtract ? (u128{a} & all) - (u128{b} & all) - in : (u128{a} & all) + (u128{b} & all) + in;
  return {static_cast<u64>(sum & all), false, ((sum >> bits & 1) != 0) != subtract};
}
template <int bits, bool subtract, bool use>
LaneResult sum_chain(const LaneInput& in) {
  return chain<bits, subtract, use>(in.source[0], in.source[1], in.carry);
}
template <class T, bool high, bool use>
LaneResult product_chain(const LaneInput& in) {
  const T a = static_cast<T>(in.source[0]);
  const T b = static_cast<T>(in.source[1]);
  const T product = high ? high_product(a, b) : wrapped_product(a, b);
  return chain<static_cast<int>(sizeof(T)) * 8, false, use>(static_cast<u64>(product), in.source[2], in.carry);
}

}  // namespace

TEST_CASE("carries pass from instruction to instruction", "[emu][integer]") {
  check("add.cc.u32 %r0, %r1, %r2", sum_chain<32, false, false>);
  check("add.cc.s64 %rd0, %rd1, %rd2", sum_chain<64, false, false>);
  check("addc.u32 %r0, %r1, %r2", sum_chain<32, false, true>);
  check("addc.cc.s32 %r0, %r1, %r2", sum_chain<32, false, true>);
  check("addc.cc.u64 %rd0, %rd1, %rd2", sum_chain<64, false, true>);
  check("sub.cc.u32 %r0, %r1, %r2", sum_chain<32, true, false>);
  check("sub.cc.u64 %rd0, %rd1, %rd2", sum_chain<64, true, false>);
  check("subc.s32 %r0, %r1, %r2", sum_chain<32, true, true>);
  check("subc.cc.u32 %r0, %r1, %r2", sum_chain<32, true, true>);
  check("subc.cc.u64 %rd0, %rd1, %rd2", sum_chain<64, true, true>);
  check("mad.lo.cc.u32 %r0, %r1, %r2, %r3", product_chain<u32, false, false>);
  check("mad.hi.cc.s32 %r0, %r1, %r2, %r3", product_chain<i32, true, false>);
  check("madc.lo.cc.s32 %r0, %r1, %r2, %r3", product_chain<i32, false, true>);
  check("madc.hi.u32 %r0, %r1, %r2, %r3", product_chain<u32, true, true>);
  check("madc.hi.cc.u64 %rd0, %rd1, %rd2, %rd3", product_chain<u64, true, true>);
  check("madc.hi.s64 %rd0, %rd1, %rd2, %rd3", product_chain<i64, true, true>);
  check("madc.lo.u64 %rd0, %rd1, %rd2, %rd3", product_chain<u64, false, true>);
}

namespace {

template <class A, class B>
u64 dot4(u64 a, u64 b, u64 c) {
  for (int i = 0; i < 4; ++i) c += static_cast<u64>(i64{static_cast<A>(a >> 8 * i)} * static_cast<B>(b >> 8 * i));
  return c;
}
template <class A, class B>
u64 dot2(u64 a, u64 b, u64 c, int first) {
  for (int i = 0; i < 2; ++i) {
    c += static_cast<u64>(i64{static_cast<A>(a >> 16 * i)} * static_cast<B>(b >> 8 * (first + i)));
  }
  return c;
}

}  // namespace

TEST_CASE("dot products of bytes and halves", "[emu][integer]") {
  using s8 = std::int8_t;
  check("dp4a.u32.u32 %r0, %r1, %r2, %r3", of<u64>(dot4<u8, u8>));
  check("dp4a.s32.s32 %r0, %r1, %r2, %r3", of<u64>(dot4<s8, s8>));
  check("dp4a.s32.u32 %r0, %r1, %r2, %r3", of<u64>(dot4<s8, u8>));
  check("dp4a.u32.s32 %r0, %r1, %r2, %r3", of<u64>(dot4<u8, s8>));
  check("dp2a.lo.u32.s32 %r0, %r1, %r2, %r3", of<u64>([](u64 a, u64 b, u64 c) { return dot2<u16, s8>(a, b, c, 0); }));
  check("dp2a.hi.s32.s32 %r0, %r1, %r2, %r3", of<u64>([](u64 a, u64 b, u64 c) { return dot2<i16, s8>(a, b, c, 2); }));
  check("dp2a.hi.s32.u32 %r0, %r1, %r2, %r3", of<u64>([](u64 a, u64 b, u64 c) { return dot2<i16, u8>(a, b, c, 2); }));
}

namespace {

/// "setp.lt.u32 %p0, ..." against C++'s operator, for all types and operators.
template <class T>
void check_comparisons(const std::string& type, const std::string& reg, bool ordered) {
  struct Operator {
    const char* name;
    bool (*apply)(T, T);
    bool ordered;
  };
  const Operator operators[] = {
      {"eq", [](T a, T b) { return a == b; }, false}, {"ne", [](T a, T b) { return a != b; }, false},
      {"lt", [](T a, T b) { return a < b; }, true},   {"le", [](T a, T b) { return a <= b; }, true},
      {"gt", [](T a, T b) { return a > b; }, true},   {"ge", [](T a, T b) { return a >= b; }, true}};
  const Draw near = [](std::mt19937_64& random, int bits) {
    return random() % 3 == 0 ? low_bits(random() % 5 - 2, bits) : draw_integer(random, bits);
  };
  for (const Operator& each : operators) {
    if (each.ordered && !ordered) continue;
    auto holds = [apply = each.apply](const LaneInput& in) {
      return apply(static_cast<T>(in.source[0]), static_cast<T>(in.source[1]));
    };
    const std::string sources = reg + "1, " + reg + "2";
    auto one = [&](const std::string& text, const Expression& expression) {
      check_handler(portable::select_integer, v3::select_integer, text, expression, {near, 60});
    };
    one("setp." + std::string(each.name) + "." + type + " %p0, " + sources,
        [holds](const LaneInput& in) { return u64{holds(in)}; });
    one("set." + std::string(each.name) + ".u32." + type + " %r0, " + sources,
        [holds](const LaneInput& in) { return holds(in) ? 0xffffffffu : 0u; });
    one("set." + std::string(each.name) + ".and.f32." + type + " %r0, " + sources + ", !%p3",
        [holds](const LaneInput& in) { return holds(in) && in.source[2] != 0 ? 0x3f800000u : 0u; });
    one("setp." + std::string(each.name) + ".or." + type + " %p0|%p4, " + sources + ", %p3",
        [holds](const LaneInput& in) {
          return LaneResult(u64{holds(in) || in.source[2] != 0}, !holds(in) || in.source[2] != 0);
        });
    one("setp." + std::string(each.name) + ".xor." + type + " %p0, " + sources + ", !%p3",
        [holds](const LaneInput& in) { return u64{holds(in) != (in.source[2] != 0)}; });
    one("setp." + std::string(each.name) + "." + type + " %p0|%p4, " + sources,
        [holds](const LaneInput& in) { return LaneResult(u64{holds(in)}, !holds(in)); });
  }
}

}  // namespace

TEST_CASE("integer comparisons set predicates and registers", "[emu][integer]") {
  check_comparisons<u16>("u16", "%h", true);
  check_comparisons<i16>("s16", "%h", true);
  check_comparisons<u16>("b16", "%h", false);
  check_comparisons<u32>("u32", "%r", true);
  check_comparisons<i32>("s32", "%r", true);
  check_comparisons<u32>("b32", "%r", false);
  check_comparisons<u64>("u64", "%rd", true);
  check_comparisons<i64>("s64", "%rd", true);
  check_comparisons<u64>("b64", "%rd", false);
  check("setp.lo.u32 %p0, %r1, %r2", of<u32>([](u32 a, u32 b, u32) { return a < b; }));
  check("setp.hs.u64 %p0, %rd1, %rd2", of<u64>([](u64 a, u64 b, u64) { return a >= b; }));
}

TEST_CASE("predicates combine", "[emu][integer]") {
  check("and.pred %p0, %p1, %p2", of<u64>([](u64 a, u64 b, u64) { return a & b; }));
  check("or.pred %p0, %p1, !%p2", of<u64>([](u64 a, u64 b, u64) { return a | b; }));
  check("xor.pred %p0, %p1, %p2", of<u64>([](u64 a, u64 b, u64) { return a ^ b; }));
  check("not.pred %p0, %p1", of<u64>([](u64 a, u64, u64) { return a ^ 1; }));
  check("mov.pred %p0, %p1", of<u64>([](u64 a, u64, u64) { return a; }));
}

}  // namespace kerlab::emu
