// Logic, shifts, bit fields and moves against scalar expressions.

#include <bit>

#include "device/emu/integer_check.h"

namespace kerlab::emu {
namespace {

using In = const LaneInput&;

template <class T>
Expression of(u64 (*f)(T, T, T)) {
  return [f](In in) {
    return LaneResult(f(static_cast<T>(in.source[0]), static_cast<T>(in.source[1]), static_cast<T>(in.source[2])));
  };
}

}  // namespace

TEST_CASE("logic, bit by bit", "[emu][bits]") {
  struct Width {
    const char* type;
    const char* reg;
  };
  for (const Width& w : {Width{"b16", "%h"}, Width{"b32", "%r"}, Width{"b64", "%rd"}}) {
    const std::string reg = w.reg;
    const std::string two = "." + std::string(w.type) + " " + reg + "0, " + reg + "1, " + reg + "2";
    const std::string one = "." + std::string(w.type) + " " + reg + "0, " + reg + "1";
    check("and" + two, [](In in) { return in.source[0] & in.source[1]; });
    check("or" + two, [](In in) { return in.source[0] | in.source[1]; });
    check("xor" + two, [](In in) { return in.source[0] ^ in.source[1]; });
    check("not" + one, [](In in) { return ~in.source[0]; });
    check("cnot" + one, [](In in) { return u64{in.source[0] == 0}; });
    check("mov" + one, [](In in) { return in.source[0]; });
  }
  for (const u32 table : {0x00u, 0xffu, 0x96u, 0xe8u, 0xcau, 0x80u, 0x01u, 0x3cu, 0x5bu}) {
    check("lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table), [table](In in) {
      u64 result = 0;
      for (int bit = 0; bit < 32; ++bit) {
        const u64 index = (in.source[0] >> bit & 1) << 2 | (in.source[1] >> bit & 1) << 1 | (in.source[2] >> bit & 1);
        result |= u64{table >> index & 1} << bit;
      }
      return result;
    });
  }
}

TEST_CASE("lop3 with a predicate", "[emu][bits]") {
  for (const Select select : {portable::select_integer, v3::select_integer}) {
    if (select == Select(v3::select_integer) && !__builtin_cpu_supports("avx2")) continue;
    for (const bool is_and : {true, false}) {
      HandlerBench bench("lop3." + std::string(is_and ? "and" : "or") + ".b32 %r0|%p1, %r1, %r2, %r3, 0x80, %p2");
      const Handler handler = select(bench.instruction());
      REQUIRE(handler != nullptr);
      for (int lane = 0; lane < kLanes; ++lane) {
        bench.set("%r1", lane, lane % 4 == 0 ? 0 : 0xf0u);
        bench.set("%r2", lane, 0xffu);
        bench.set("%r3", lane, 0x3cu);
        bench.set("%p2", lane, lane % 2);
        bench.set("%p1", lane, 1);
        bench.set("%r0", lane, 7);
      }
      bench.run(handler, 0x7fffffff);
      for (int lane = 0; lane < kLanes; ++lane) {
        INFO("lane " << lane << (is_and ? " and" : " or"));
        const bool q = lane % 2 != 0;
        const bool set = lane % 4 != 0;
        CHECK(bench.get("%r0", lane) == (lane == 31 ? 7u : set ? 0x30u : 0u));
        CHECK(bench.get("%p1", lane) == (lane == 31 ? 1u : static_cast<unsigned>(is_and ? set && q : set || q)));
      }
    }
  }
}

TEST_CASE("shifts clamp at the width", "[emu][bits]") {
  auto left = [](int bits) {
    return [bits](In in) {
      const auto by = static_cast<u32>(in.source[1]);
      return LaneResult(by >= static_cast<u32>(bits) ? 0 : in.source[0] << by);
    };
  };
  auto right = [](int bits, bool is_signed) {
    return [bits, is_signed](In in) {
      const u64 by = std::min<u64>(in.source[1], static_cast<u64>(bits));
      const int unused = 64 - bits;
      const u64 top = in.source[0] << unused;
      const u64 amount = static_cast<u64>(unused) + by;
      if (is_signed) return LaneResult(static_cast<u64>(static_cast<i64>(top) >> std::min<u64>(amount, 63)));
      return LaneResult(amount >= 64 ? 0 : top >> amount);
    };
  };
  check("shl.b16 %h0, %h1, %r2", left(16));
  check("shl.b32 %r0, %r1, %r2", left(32));
  check("shl.b64 %rd0, %rd1, %r2", left(64));
  check("shr.u16 %h0, %h1, %r2", right(16, false));
  check("shr.s16 %h0, %h1, %r2", right(16, true));
  check("shr.u32 %r0, %r1, %r2", right(32, false));
  check("shr.b32 %r0, %r1, %r2", right(32, false));
  check("shr.s32 %r0, %r1, %r2", right(32, true));
  check("shr.u64 %rd0, %rd1, %r2", right(64, false));
  check("shr.s64 %rd0, %rd1, %r2", right(64, true));

  auto funnel = [](bool is_right, bool clamp) {
    return [is_right, clamp](In in) {
      const u64 both = in.source[1] << 32 | in.source[0];
      const u64 n = clamp ? std::min<u64>(in.source[2], 32) : in.source[2] & 31;
      return LaneResult(is_right ? both >> n : both << n >> 32);
    };
  };
  check("shf.l.wrap.b32 %r0, %r1, %r2, %r3", funnel(false, false));
  check("shf.l.clamp.b32 %r0, %r1, %r2, %r3", funnel(false, true));
  check("shf.r.wrap.b32 %r0, %r1, %r2, %r3", funnel(true, false));
  check("shf.r.clamp.b32 %r0, %r1, %r2, %r3", funnel(true, true));
}

namespace {

template <class T>
u64 highest(T a, T, T) {
  u64 magnitude = static_cast<u64>(a < 0 ? static_cast<T>(~a) : a);
  return magnitude == 0 ? ~u64{0} : static_cast<u64>(63 - std::countl_zero(magnitude));
}
template <class T>
u64 highest_shift(T a, T b, T c) {
  const u64 at = highest(a, b, c);
  return at == ~u64{0} ? at : sizeof(T) * 8 - 1 - at;
}

/// As the document writes it, bit by bit; in 64-bit instructions an H200 takes all bits of position and length.
template <class T>
LaneResult extract(In in) {
  constexpr u64 msb = sizeof(T) * 8 - 1;
  constexpr u64 taken = sizeof(T) == 8 ? 0xffffffff : 0xff;
  const u64 pos = in.source[1] & taken;
  const u64 len = in.source[2] & taken;
  const u64 a = in.source[0];
  const u64 sign = std::is_signed_v<T> && len != 0 ? a >> std::min(pos + len - 1, msb) & 1 : 0;
  u64 d = 0;
  for (u64 i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
  return d;
}
template <int bits>
LaneResult insert(In in) {
  u64 f = in.source[1];
  constexpr u64 taken = bits == 64 ? 0xffffffff : 0xff;
  const u64 pos = in.source[2] & taken;
  const u64 len = in.source[3] & taken;
  for (u64 i = 0; i < len && pos + i < bits; ++i) {
    f = (f & ~(u64{1} << (pos + i))) | (in.source[0] >> i & 1) << (pos + i);
  }
  return f;
}

u64 nth_set(u32 mask, u32 base, u32 signed_offset) {
  const auto offset = static_cast<i32>(signed_offset);
  if (offset == -2147483647 - 1) return 0;  // not defined; an H200's
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~0u;
  i64 pos = static_cast<i32>(base);
  i64 count = std::abs(i64{offset}) - 1;
  for (; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
    if ((mask >> pos & 1) == 0) continue;
    if (count == 0) return static_cast<u64>(pos);
    --count;
  }
  return ~0u;
}

LaneResult mask_of_bits(In in, bool clamp) {
  const u64 a = clamp ? in.source[0] : in.source[0] & 31;
  const u64 b = clamp ? in.source[1] : in.source[1] & 31;
  u64 d = 0;
  for (u64 i = 0; i < 32; ++i) d |= u64{i >= a && i - a < b} << i;
  return d;
}
LaneResult extend(In in, bool clamp, bool is_signed) {
  const u64 n = clamp ? std::min<u64>(in.source[1], 32) : in.source[1] & 31;
  if (n == 0) return 0;
  const u64 value = low_bits(in.source[0], static_cast<int>(n));
  const bool sign = is_signed && (value >> (n - 1) & 1) != 0;
  return sign ? value | ~u64{0} << n : value;
}

}  // namespace

TEST_CASE("bits are counted, found, reversed", "[emu][bits]") {
  check("popc.b32 %r0, %r1", [](In in) { return static_cast<u64>(std::popcount(in.source[0])); });
  check("popc.b64 %r0, %rd1", [](In in) { return static_cast<u64>(std::popcount(in.source[0])); });
  check("clz.b32 %r0, %r1", of<u32>([](u32 a, u32, u32) { return static_cast<u64>(std::countl_zero(a)); }));
  check("clz.b64 %r0, %rd1", of<u64>([](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(a)); }));
  check("bfind.u32 %r0, %r1", of<u32>(highest<u32>));
  check("bfind.s32 %r0, %r1", of<i32>(highest<i32>));
  check("bfind.u64 %r0, %rd1", of<u64>(highest<u64>));
  check("bfind.s64 %r0, %rd1", of<i64>(highest<i64>));
  check("bfind.shiftamt.u32 %r0, %r1", of<u32>(highest_shift<u32>));
  check("bfind.shiftamt.s32 %r0, %r1", of<i32>(highest_shift<i32>));
  check("bfind.shiftamt.u64 %r0, %rd1", of<u64>(highest_shift<u64>));
  check("bfind.shiftamt.s64 %r0, %rd1", of<i64>(highest_shift<i64>));
  auto reverse = [](int bits) {
    return [bits](In in) {
      u64 d = 0;
      for (int i = 0; i < bits; ++i) d |= (in.source[0] >> i & 1) << (bits - 1 - i);
      return LaneResult(d);
    };
  };
  check("brev.b32 %r0, %r1", reverse(32));
  check("brev.b64 %rd0, %rd1", reverse(64));
  const Draw near = [](std::mt19937_64& random, int bits) {
    return random() % 2 == 0 ? low_bits(random() % 40 - 8, bits) : draw_integer(random, bits);
  };
  check_handler(portable::select_integer, v3::select_integer, "fns.b32 %r0, %r1, %r2, %r3", of<u32>(nth_set),
                {near, 600});
}

TEST_CASE("bit fields", "[emu][bits]") {
  const Draw near = [](std::mt19937_64& random, int bits) {
    return random() % 2 == 0 ? low_bits(random() % 70, bits) : draw_integer(random, bits);
  };
  auto one = [&](const std::string& text, const Expression& expression) {
    check_handler(portable::select_integer, v3::select_integer, text, expression, {near, 400});
  };
  one("bfe.u32 %r0, %r1, %r2, %r3", extract<u32>);
  one("bfe.s32 %r0, %r1, %r2, %r3", extract<i32>);
  one("bfe.u64 %rd0, %rd1, %r2, %r3", extract<u64>);
  one("bfe.s64 %rd0, %rd1, %r2, %r3", extract<i64>);
  one("bfi.b32 %r0, %r1, %r2, %r3, %r4", insert<32>);
  one("bfi.b64 %rd0, %rd1, %rd2, %r3, %r4", insert<64>);
  one("bmsk.clamp.b32 %r0, %r1, %r2", [](In in) { return mask_of_bits(in, true); });
  one("bmsk.wrap.b32 %r0, %r1, %r2", [](In in) { return mask_of_bits(in, false); });
  one("szext.clamp.u32 %r0, %r1, %r2", [](In in) { return extend(in, true, false); });
  one("szext.clamp.s32 %r0, %r1, %r2", [](In in) { return extend(in, true, true); });
  one("szext.wrap.u32 %r0, %r1, %r2", [](In in) { return extend(in, false, false); });
  one("szext.wrap.s32 %r0, %r1, %r2", [](In in) { return extend(in, false, true); });
}

namespace {

LaneResult permute(In in, const int (*table)[4]) {
  const u64 both = in.source[1] << 32 | in.source[0];
  u64 d = 0;
  for (int j = 0; j < 4; ++j) {
    // The document's tables list d.b3 first.
    const u64 nibble = table == nullptr ? in.source[2] >> 4 * j & 15 : static_cast<u64>(table[in.source[2] & 3][3 - j]);
    u64 byte = both >> 8 * (nibble & 7) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    d |= byte << 8 * j;
  }
  return d;
}
constexpr int kForward4[4][4] = {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}};
constexpr int kBackward4[4][4] = {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}};
constexpr int kReplicate8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
constexpr int kEdgeLeft[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}};
constexpr int kEdgeRight[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}};
constexpr int kReplicate16[4][4] = {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}};

}  // namespace

TEST_CASE("bytes are permuted", "[emu][bits]") {
  check("prmt.b32 %r0, %r1, %r2, %r3", [](In in) { return permute(in, nullptr); });
  check("prmt.b32.f4e %r0, %r1, %r2, %r3", [](In in) { return permute(in, kForward4); });
  check("prmt.b32.b4e %r0, %r1, %r2, %r3", [](In in) { return permute(in, kBackward4); });
  check("prmt.b32.rc8 %r0, %r1, %r2, %r3", [](In in) { return permute(in, kReplicate8); });
  check("prmt.b32.ecl %r0, %r1, %r2, %r3", [](In in) { return permute(in, kEdgeLeft); });
  check("prmt.b32.ecr %r0, %r1, %r2, %r3", [](In in) { return permute(in, kEdgeRight); });
  check("prmt.b32.rc16 %r0, %r1, %r2, %r3", [](In in) { return permute(in, kReplicate16); });
}

TEST_CASE("selection by predicate and by sign", "[emu][bits]") {
  auto by_predicate = [](In in) { return in.source[2] != 0 ? in.source[0] : in.source[1]; };
  check("selp.b16 %h0, %h1, %h2, %p3", by_predicate);
  check("selp.f32 %r0, %r1, %r2, !%p3", by_predicate);
  check("selp.u32 %r0, %r1, %r2, %p3", by_predicate);
  check("selp.f64 %rd0, %rd1, %rd2, %p3", by_predicate);
  check("selp.b64 %rd0, %rd1, %rd2, !%p3", by_predicate);
  auto by_integer = [](In in) { return static_cast<i32>(in.source[2]) >= 0 ? in.source[0] : in.source[1]; };
  auto by_float = [](bool ftz) {
    return [ftz](In in) {
      float c = std::bit_cast<float>(static_cast<u32>(in.source[2]));
      if (ftz && std::abs(c) < 1.17549435e-38f) c = 0;
      return LaneResult(c >= 0 ? in.source[0] : in.source[1]);
    };
  };
  check("slct.b16.s32 %h0, %h1, %h2, %r3", by_integer);
  check("slct.u32.s32 %r0, %r1, %r2, %r3", by_integer);
  check("slct.f64.s32 %rd0, %rd1, %rd2, %r3", by_integer);
  check("slct.f32.f32 %r0, %r1, %r2, %r3", by_float(false));
  check("slct.ftz.u64.f32 %rd0, %rd1, %rd2, %r3", by_float(true));
  check("slct.ftz.s32.f32 %r0, %r1, %r2, %r3", by_float(true));
}

TEST_CASE("registers are packed and unpacked", "[emu][bits]") {
  for (const auto select : {portable::select_integer, v3::select_integer}) {
    std::mt19937_64 random(3);
    for (const u32 mask : {~0u, 0x80010ff1u, 1u << 17}) {
      struct Form {
        std::string wide, vector, type, narrow_register;
        int count, bits;
      };
      for (const Form& form :
           {Form{"%rd0", "{%r1, %r2}", "b64", "%r", 2, 32}, Form{"%r0", "{%h1, %h2}", "b32", "%h", 2, 16},
            Form{"%rd0", "{%h1, %h2, %h3, %h4}", "b64", "%h", 4, 16}}) {
        HandlerBench pack("mov." + form.type + " " + form.wide + ", " + form.vector);
        HandlerBench unpack("mov." + form.type + " " + form.vector + ", " + form.wide);
        for (int lane = 0; lane < kLanes; ++lane) {
          pack.set(form.wide, lane, random());
          unpack.set(form.wide, lane, random());
          for (int e = 1; e <= form.count; ++e) {
            pack.set(form.narrow_register + std::to_string(e), lane, random());
            unpack.set(form.narrow_register + std::to_string(e), lane, 77);
          }
        }
        const Handler packer = select(pack.instruction());
        const Handler unpacker = select(unpack.instruction());
        REQUIRE(packer != nullptr);
        REQUIRE(unpacker != nullptr);
        std::vector<u64> before;
        for (int lane = 0; lane < kLanes; ++lane) before.push_back(pack.get(form.wide, lane));
        pack.run(packer, mask);
        unpack.run(unpacker, mask);
        for (int lane = 0; lane < kLanes; ++lane) {
          const bool active = (mask >> lane & 1) != 0;
          u64 packed = 0;
          for (int e = 1; e <= form.count; ++e) {
            const std::string name = form.narrow_register + std::to_string(e);
            packed |= pack.get(name, lane) << form.bits * (e - 1);
            const u64 part = low_bits(unpack.get(form.wide, lane) >> form.bits * (e - 1), form.bits);
            REQUIRE(unpack.get(name, lane) == (active ? part : 77));
          }
          REQUIRE(pack.get(form.wide, lane) == (active ? packed : before[static_cast<std::size_t>(lane)]));
        }
      }
    }
  }
}

}  // namespace kerlab::emu
