// Warp instructions against the pseudocode of the PTX ISA document, one lane at a time.

#include <cmath>
#include <cstdlib>

#include "device/emu/machine_lab.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

constexpr const char* kHead = R"(.version 8.6
.target sm_100a
.address_size 64
)";

/// A kernel whose thread t loads %a, %b, %c (words t of three arrays) and stores %d and %e (words t of two more), with
/// `body` in between.
std::string kernel(const std::string& body) {
  return std::string(kHead) +
         R"(.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd, .param .u64 pe)
{
  .reg .pred %p, %q;
  .reg .b32 %a, %b, %c, %d, %e, %t;
  .reg .b64 %x, %y, %z, %at;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  ld.param.u64 %x, [pa];
  add.s64 %x, %x, %at;
  ld.global.u32 %a, [%x];
  ld.param.u64 %x, [pb];
  add.s64 %x, %x, %at;
  ld.global.u32 %b, [%x];
  ld.param.u64 %x, [pc];
  add.s64 %x, %x, %at;
  ld.global.u32 %c, [%x];
  mov.u32 %d, 0xdddddddd;
  mov.u32 %e, 0xeeeeeeee;
)" + body +
         R"(
  ld.param.u64 %x, [pd];
  add.s64 %x, %x, %at;
  st.global.u32 [%x], %d;
  ld.param.u64 %x, [pe];
  add.s64 %x, %x, %at;
  st.global.u32 [%x], %e;
  ret;
}
)";
}

struct Lanes {
  std::vector<std::uint32_t> a = std::vector<std::uint32_t>(32), b = a, c = a, d = a, e = a;
};

/// Runs the body in one warp of `threads` lanes; with the portable handlers too, which must agree.
void run(const std::string& body, Lanes& lanes, unsigned threads = 32) {
  Lanes results[2];
  for (const bool portable : {true, false}) {
    setenv("KERLAB_EMU_ISA", portable ? "portable" : "", 1);
    MachineLab lab(kernel(body));
    const Buffer<std::uint32_t> d(lab.memory, 32);
    const Buffer<std::uint32_t> e(lab.memory, 32);
    lab.run("k", {1, 1, 1}, {threads, 1, 1}, Buffer<std::uint32_t>(lab.memory, lanes.a),
            Buffer<std::uint32_t>(lab.memory, lanes.b), Buffer<std::uint32_t>(lab.memory, lanes.c), d, e);
    results[portable ? 1 : 0].d = d.values();
    results[portable ? 1 : 0].e = e.values();
  }
  unsetenv("KERLAB_EMU_ISA");
  REQUIRE(results[0].d == results[1].d);
  REQUIRE(results[0].e == results[1].e);
  lanes.d = results[0].d;
  lanes.e = results[0].e;
}

std::uint32_t hash(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

/// PTX ISA, "shfl.sync": where the value comes from, and the predicate.
std::pair<int, bool> shuffled(const std::string& mode, int lane, std::uint32_t b, std::uint32_t c) {
  const int segment = static_cast<int>(c >> 8 & 31);
  const int clamp = static_cast<int>(c & 31);
  const int offset = static_cast<int>(b & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  const int least = lane & segment;
  int j = 0;
  bool inside = false;
  if (mode == "up") {
    j = lane - offset;
    inside = j >= most;
  } else if (mode == "down") {
    j = lane + offset;
    inside = j <= most;
  } else if (mode == "bfly") {
    j = lane ^ offset;
    inside = j <= most;
  } else {
    j = least | (offset & ~segment);
    inside = j <= most;
  }
  return {inside ? j : lane, inside};
}

}  // namespace

TEST_CASE("emulated shfl: all modes, widths and lanes", "[emu][warp]") {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const bool uniform : {true, false}) {
      for (std::uint32_t round = 0; round < 40; ++round) {
        Lanes lanes;
        for (std::uint32_t l = 0; l < 32; ++l) {
          lanes.a[l] = hash(l + 100 * round);
          lanes.b[l] = hash(uniform ? round : l * 77 + round) & 0x3f;
          lanes.c[l] = round % 4 == 0 ? (mode == "up" ? 0 : 0x1f) : hash((uniform ? 0 : l) + round * 3 + 9) & 0x1f1f;
        }
        run("shfl.sync." + mode + ".b32 %d|%p, %a, %b, %c, 0xffffffff;\nselp.u32 %e, 1, 0, %p;", lanes);
        for (int l = 0; l < 32; ++l) {
          const auto i = static_cast<std::size_t>(l);
          const auto [from, inside] = shuffled(mode, l, lanes.b[i], lanes.c[i]);
          INFO(mode << " lane " << l << " b " << lanes.b[i] << " c " << std::hex << lanes.c[i]);
          REQUIRE(lanes.d[i] == lanes.a[static_cast<std::size_t>(from)]);
          REQUIRE(lanes.e[i] == (inside ? 1 : 0));
        }
      }
    }
  }
}

TEST_CASE("emulated shfl: forms of its operands", "[emu][warp]") {
  Lanes lanes;
  for (std::uint32_t l = 0; l < 32; ++l) lanes.a[l] = l * l;
  run("shfl.sync.down.b32 %d, %a, 4, 0x1f, 0xffffffff;\nshfl.sync.idx.b32 %e|_, %a, 3, 0x181f, -1;", lanes);
  for (std::uint32_t l = 0; l < 32; ++l) {
    CHECK(lanes.d[l] == (l < 28 ? (l + 4) * (l + 4) : l * l));
    CHECK(lanes.e[l] == (l / 8 * 8 + 3) * (l / 8 * 8 + 3));
  }
  // Under a guard: the lanes without it keep what they have.
  run("setp.lt.u32 %p, %t, 8;\n@%p shfl.sync.bfly.b32 %d, %a, 1, 0x1f, 0xff;", lanes);
  for (std::uint32_t l = 0; l < 32; ++l) CHECK(lanes.d[l] == (l < 8 ? (l ^ 1) * (l ^ 1) : 0xdddddddd));
}

TEST_CASE("emulated vote, activemask, elect", "[emu][warp]") {
  Lanes lanes;
  for (std::uint32_t l = 0; l < 32; ++l) lanes.a[l] = hash(l) & 1;
  std::uint32_t ones = 0;
  for (std::uint32_t l = 0; l < 32; ++l) ones |= lanes.a[l] << l;
  run("setp.ne.u32 %p, %a, 0;\nvote.sync.ballot.b32 %d, %p, -1;\nvote.sync.ballot.b32 %e, !%p, -1;", lanes);
  CHECK(lanes.d == std::vector<std::uint32_t>(32, ones));
  CHECK(lanes.e == std::vector<std::uint32_t>(32, ~ones));
  const auto votes = [&](const std::string& mode, const std::string& predicate) {
    run("setp.ne.u32 %p, %a, 0;\nsetp.lt.u32 %q, %t, 99;\nvote.sync." + mode + ".pred %p, " + predicate +
            ", -1;\nselp.u32 %d, 1, 0, %p;",
        lanes);
    for (std::size_t l = 1; l < 32; ++l) REQUIRE(lanes.d[l] == lanes.d[0]);
    return lanes.d[0] == 1;
  };
  CHECK_FALSE(votes("all", "%p"));
  CHECK(votes("any", "%p"));
  CHECK_FALSE(votes("uni", "%p"));
  CHECK(votes("all", "%q"));
  CHECK(votes("uni", "%q"));
  CHECK_FALSE(votes("any", "!%q"));
  CHECK(votes("uni", "!%q"));

  // 20 threads, of which the odd ones ask.
  run("and.b32 %d, %t, 1;\nsetp.eq.u32 %p, %d, 1;\n@%p activemask.b32 %e;", lanes, 20);
  for (std::uint32_t l = 0; l < 20; ++l) CHECK(lanes.e[l] == (l % 2 == 1 ? 0x000aaaaau : 0xeeeeeeeeu));

  run("elect.sync %d|%p, -1;\nselp.u32 %e, 1, 0, %p;", lanes);
  for (std::uint32_t l = 0; l < 32; ++l) {
    CHECK(lanes.d[l] == 0);
    CHECK(lanes.e[l] == (l == 0 ? 1 : 0));
  }
  run("setp.ge.u32 %p, %t, 5;\n@!%p bra out;\nelect.sync %d|%q, 0xffffffe0;\nselp.u32 %e, 1, 0, %q;\nout:", lanes);
  for (std::uint32_t l = 5; l < 32; ++l) {
    CHECK(lanes.d[l] == 5);
    CHECK(lanes.e[l] == (l == 5 ? 1 : 0));
  }
}

TEST_CASE("emulated match", "[emu][warp]") {
  Lanes lanes;
  for (std::uint32_t l = 0; l < 32; ++l) lanes.a[l] = hash(l) % 6;
  run("match.any.sync.b32 %d, %a, -1;\nmatch.all.sync.b32 %e|%p, %a, -1;", lanes);
  for (std::uint32_t l = 0; l < 32; ++l) {
    std::uint32_t same = 0;
    for (std::uint32_t o = 0; o < 32; ++o) same |= (lanes.a[o] == lanes.a[l] ? 1u : 0u) << o;
    CHECK(lanes.d[l] == same);
    CHECK(lanes.e[l] == 0);
  }
  // The high half of 64 bits matters, and lanes that are not there do not.
  run("mov.b64 %y, {%a, %t};\nmatch.any.sync.b64 %d, %y, -1;\nmov.b64 %y, {1, 2};\n"
      "match.all.sync.b64 %e|%p, %y, -1;\nselp.u32 %e, %e, 7, %p;",
      lanes, 9);
  for (std::uint32_t l = 0; l < 9; ++l) {
    CHECK(lanes.d[l] == 1u << l);
    CHECK(lanes.e[l] == 0x1ff);
  }
}

TEST_CASE("emulated redux of integers", "[emu][warp]") {
  Lanes lanes;
  for (std::uint32_t l = 0; l < 32; ++l) lanes.a[l] = hash(l + 5);
  const auto result = [&](const std::string& operation, unsigned threads) {
    run("redux.sync." + operation + " %d, %a, -1;", lanes, threads);
    for (std::size_t l = 1; l < threads; ++l) REQUIRE(lanes.d[l] == lanes.d[0]);
    return lanes.d[0];
  };
  for (const unsigned threads : {1u, 7u, 32u}) {
    std::uint32_t sum = 0;
    std::uint32_t all = ~0u;
    std::uint32_t any = 0;
    std::uint32_t parity = 0;
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    std::int32_t lowest = INT32_MAX;
    std::int32_t highest = INT32_MIN;
    for (std::size_t l = 0; l < threads; ++l) {
      const std::uint32_t x = lanes.a[l];
      sum += x;
      all &= x;
      any |= x;
      parity ^= x;
      least = std::min(least, x);
      most = std::max(most, x);
      lowest = std::min(lowest, static_cast<std::int32_t>(x));
      highest = std::max(highest, static_cast<std::int32_t>(x));
    }
    CHECK(result("add.u32", threads) == sum);
    CHECK(result("add.s32", threads) == sum);
    CHECK(result("and.b32", threads) == all);
    CHECK(result("or.b32", threads) == any);
    CHECK(result("xor.b32", threads) == parity);
    CHECK(result("min.u32", threads) == least);
    CHECK(result("max.u32", threads) == most);
    CHECK(result("min.s32", threads) == static_cast<std::uint32_t>(lowest));
    CHECK(result("max.s32", threads) == static_cast<std::uint32_t>(highest));
  }
}

TEST_CASE("emulated redux of floats", "[emu][warp]") {
  Lanes lanes;
  const auto set = [&](std::size_t l, float x) { lanes.a[l] = std::bit_cast<std::uint32_t>(x); };
  const auto result = [&](const std::string& operation, unsigned threads = 32) {
    run("redux.sync." + operation + ".f32 %d, %a, -1;", lanes, threads);
    return std::bit_cast<float>(lanes.d[0]);
  };
  for (std::size_t l = 0; l < 32; ++l) set(l, static_cast<float>(l) - 20.5f);
  CHECK(result("min") == -20.5f);
  CHECK(result("max") == 10.5f);
  CHECK(result("min.abs") == 0.5f);
  CHECK(result("max.abs") == 20.5f);
  set(9, std::nanf(""));
  CHECK(result("max") == 10.5f);
  CHECK(lanes.d[31] == lanes.d[0]);
  CHECK(std::isnan(result("max.NaN")));
  CHECK(lanes.d[0] == 0x7fffffffu);
  for (std::size_t l = 0; l < 32; ++l) set(l, l % 2 == 0 ? 0.0f : -0.0f);
  CHECK(std::signbit(result("min")));
  CHECK_FALSE(std::signbit(result("max")));
  set(0, -3.0f);
  CHECK(result("min.abs", 1) == 3.0f);
}

TEST_CASE("emulated movmatrix", "[emu][warp]") {
  Lanes lanes;
  for (std::uint32_t l = 0; l < 32; ++l) lanes.a[l] = hash(l);
  run("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", lanes);
  const auto element = [](const std::vector<std::uint32_t>& m, std::uint32_t row, std::uint32_t column) {
    return m[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
  };
  for (std::uint32_t row = 0; row < 8; ++row) {
    for (std::uint32_t column = 0; column < 8; ++column) {
      REQUIRE(element(lanes.d, row, column) == element(lanes.a, column, row));
    }
  }
}
