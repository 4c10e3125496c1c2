// What goes well by luck only: others that come in time, lanes that happen to be together.

#include <algorithm>
#include <bit>

#include "device/emu/hopper_text.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

/// Blocks of one thread, each behind the one before it, for which it looks `looks` times at most: what they saw. With
/// `tickets` a block's place is that in which it comes.
std::vector<unsigned> chain(unsigned looks, bool tickets, std::uint32_t draw) {
  constexpr unsigned kBlocks = 6;
  const std::string place = tickets ? "atom.global.add.u32 r6, [x1], 1;\n" : "mov.u32 r6, r2;\n";
  MachineLab lab(hopper_text("", place + "mul.wide.u32 x2, r6, 4; add.u64 x3, x0, x2; add.u64 x2, x1, x2;\n"
                                         "setp.eq.u32 p1, r6, 0; mov.u32 r4, 0; mov.u32 r5, 1; @p1 bra TELL;\n"
                                         "again: ld.acquire.gpu.global.u32 r5, [x2]; add.u32 r4, r4, 1;\n"
                                         "setp.ne.u32 p2, r5, 0; @p2 bra TELL; setp.lt.u32 p3, r4, r0; @p3 bra again;\n"
                                         "TELL: st.global.u32 [x3], r5; st.release.gpu.global.u32 [x2+4], 1;\n"));
  const Buffer<unsigned> out(lab.memory, kBlocks), words(lab.memory, kBlocks + 1);
  lab.launch.schedule = Schedule::shuffled;
  lab.launch.hold_back = draw;
  lab.run("k", {kBlocks, 1, 1}, {1, 1, 1}, out, words, looks);
  return out.values();
}

/// One warp, whose even lanes do something more than others first, then `between`, then look who is active and do
/// `use`.
struct Active {
  std::vector<unsigned> out;
  std::vector<Finding> findings;
};
Active active(const std::string& between, const std::string& use, bool parts, bool sanitize = false) {
  MachineLab lab(hopper_text("",
                             "mul.wide.u32 x2, r1, 4; add.u64 x2, x0, x2; and.b32 r4, r1, 1;\n"
                             "setp.ne.u32 p1, r4, 0; @p1 bra MEET; st.global.u32 [x2], r1;\nMEET:\n" +
                                 between + "\nactivemask.b32 r5;\n" + use));
  const Buffer<unsigned> out(lab.memory, 33), in(lab.memory, 4);
  lab.launch.parts_active = parts;
  lab.launch.sanitize = sanitize;
  std::vector<Finding> findings = lab.run("k", {1, 1, 1}, {32, 1, 1}, out, in, 0u).findings;
  return {out.values(), std::move(findings)};
}

}  // namespace

TEST_CASE("emulated: who gives up looking for what a block tells is wrong where that block is held up",
          "[emu][progress]") {
  const std::vector<unsigned> all(6, 1);
  for (const bool tickets : {false, true}) {
    int wrong = 0;
    for (std::uint32_t draw = 0; draw < 24; ++draw) {
      wrong += chain(1000, tickets, draw) != all ? 1 : 0;
      REQUIRE(chain(1u << 30, tickets, draw) == all);
    }
    INFO(tickets);
    CHECK(wrong > 3);
  }
}

TEST_CASE("emulated: lanes that met again by no barrier may see a part of each other alone", "[emu][warp]") {
  const std::string store = "st.global.u32 [x2], r5;";
  const auto all = [](const Active& result) {
    return std::all_of(result.out.begin(), result.out.end() - 1, [](unsigned mask) { return mask == ~0u; });
  };
  CHECK(all(active("", store, false)));
  CHECK(all(active("bar.warp.sync -1;", store, true)));
  CHECK(all(active("bar.sync 0;", store, true)));
  const Active parts = active("", store, true);
  CHECK_FALSE(all(parts));
  for (unsigned lane = 0; lane < 32; ++lane) {
    REQUIRE((parts.out[lane] >> lane & 1) == 1);
    for (unsigned other = 0; other < 32; ++other)
      if ((parts.out[lane] >> other & 1) != 0) REQUIRE(parts.out[other] == parts.out[lane]);
  }
}

TEST_CASE("emulated: whoever takes activemask for all lanes behind a branch is found, and who takes it as it is not",
          "[emu][warp][sanitize]") {
  const std::string sum =
      "mov.u32 r6, r1; shfl.sync.bfly.b32 r7, r6, 16, 31, r5; add.u32 r6, r6, r7; st.global.u32 [x2], r6;";
  // atomicAdd once for all that are here: each gets a number of its own.
  const std::string once =
      "brev.b32 r6, r5; bfind.shiftamt.u32 r6, r6; setp.eq.u32 p2, r6, r1; popc.b32 r7, r5;\n"
      "@p2 atom.global.add.u32 r8, [x1], r7; shfl.sync.idx.b32 r8, r8, r6, 31, r5;\n"
      "mov.u32 r9, %lanemask_lt; and.b32 r9, r9, r5; popc.b32 r9, r9; add.u32 r8, r8, r9; st.global.u32 [x2], r8;";
  for (const bool parts : {false, true}) {
    const Active wrong = active("", sum, parts, true);
    CHECK(wrong.findings.empty() != parts);
    for (const Finding& finding : wrong.findings) {
      CHECK(finding.hazard == Hazard::warp_mask);
      CHECK_THAT(finding.message, Contains("activemask"));
    }
    CHECK(active("bar.warp.sync -1;", sum, parts, true).findings.empty());
    Active right = active("", once, parts, true);
    CHECK(right.findings.empty());
    std::sort(right.out.begin(), right.out.end() - 1);
    for (unsigned i = 0; i < 32; ++i) REQUIRE(right.out[i] == i);
  }
}
