// What is remembered of wgmma under way, what its faults say, and registers touched too early.
#include <string>

#include "catch.h"
#include "device/emu/async/wgmma_groups.h"
#include "device/emu/async/wgmma_touched.h"
#include "device/emu/machine/machine.h"
#include "wgmma_lab.h"

namespace kerlab::emu {
namespace {

using cases::Case;
using cases::Form;
using cases::Type;

const Form kForm{Type::f32, Type::bf16, Type::bf16, 16};

Case usual() {
  cases::Random random(1);
  Case one = cases::random_case(random, kForm, cases::normal, cases::normal, cases::normal);
  cases::pack(kForm, one, 0, 0);
  return one;
}

TEST_CASE("a wgmma reads its operands until its group is waited for", "[wgmma]") {
  WgmmaLab lab(kForm, portable::select_wgmma);
  lab.load(usual());  // A at 0, 2048 bytes; B at 2048, 512 bytes
  Warp& warp = lab.warp(1);
  const Cta& cta = lab.cta();
  CHECK(wgmma_reading(cta, 0, 4096) == nullptr);
  lab.run_warp(1);
  CHECK(wgmma_reading(cta, 0, 512) == nullptr);  // of A its own 16 rows
  CHECK(wgmma_reading(cta, 512, 513) == &lab.op());
  CHECK(wgmma_reading(cta, 1024, 2048) == nullptr);
  CHECK(wgmma_reading(cta, 2559, 2560) == &lab.op());
  CHECK(wgmma_reading(cta, 2560, 4096) == nullptr);
  wait_wgmma(warp, lab.op(), 0);  // nothing was committed
  CHECK(wgmma_reading(cta, 512, 513) != nullptr);
  commit_wgmma(warp, lab.op());
  lab.run_warp(1);
  commit_wgmma(warp, lab.op());
  wait_wgmma(warp, lab.op(), 2);
  CHECK(cta.wgmma[1].pending.size() == 2);
  wait_wgmma(warp, lab.op(), 1);
  CHECK(cta.wgmma[1].pending.size() == 1);
  CHECK(cta.wgmma[1].pending[0].group == 1);
  wait_wgmma(warp, lab.op(), 0);
  CHECK(wgmma_reading(cta, 0, 4096) == nullptr);
}

/// What the fault says; empty: there was none.
std::string fault(const Case& one, std::uint32_t mask = ~0u, unsigned threads = 128, std::size_t warp = 0) {
  std::string all;
  for (const WgmmaIsa& isa : wgmma_isas()) {
    WgmmaLab lab(kForm, isa.select, threads);
    if (threads >= 128) lab.load(one);
    try {
      lab.run_warp(warp, mask);
      return "";
    } catch (const MachineFault& error) {
      if (!all.empty()) CHECK(all == error.what());
      all = error.what();
    }
  }
  return all;
}

TEST_CASE("a wrong matrix descriptor is a fault that names its fields", "[wgmma]") {
  using Catch::Matchers::Contains;
  Case one = usual();
  CHECK(fault(one).empty());
  one.layout_b.start = 4096 - 256;
  one.b.clear();
  CHECK_THAT(fault(one),
             Contains("illegal address: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 reads bytes "
                      "0xf00 to 0x1100, outside the block's 4096 bytes of shared memory, of matrix B") &&
                 Contains("start 0xf00, leading offset 128, stride offset 256, base offset 0, swizzle none"));
  CHECK_THAT(fault(usual(), 0xffff), Contains("some lanes of the warp only"));
  CHECK_THAT(fault(usual(), ~0u, 160, 4), Contains("no whole warpgroup"));
}

TEST_CASE("wgmma refuses shapes and types that do not exist", "[wgmma]") {
  for (const WgmmaIsa& isa : wgmma_isas()) {
    const auto refuses = [&](Form form, int k = 0) {
      ptx::Instruction i = wgmma_instruction(form);
      if (k != 0) i.modifiers.k = static_cast<std::uint16_t>(k);
      return isa.select(i) == nullptr;
    };
    CHECK(!refuses({Type::f32, Type::f16, Type::f16, 248}));
    CHECK(refuses({Type::f32, Type::f16, Type::f16, 12}));
    CHECK(refuses({Type::f32, Type::f16, Type::f16, 264}));
    CHECK(refuses({Type::f32, Type::f16, Type::f16, 16}, 8));
    CHECK(refuses({Type::f32, Type::f16, Type::bf16, 16}));
    CHECK(refuses({Type::f16, Type::bf16, Type::bf16, 16}));
    CHECK(refuses({Type::s32, Type::s8, Type::s8, 40}));
    CHECK(!refuses({Type::s32, Type::s8, Type::u8, 24}));
    CHECK(refuses({Type::s32, Type::f16, Type::f16, 16}));
    Form turned{Type::f32, Type::tf32, Type::tf32, 16};
    turned.column_b = true;
    CHECK(refuses(turned));
  }
}

/// A kernel with the accumulators %d0..%d3 and the instructions `text`.
std::vector<WgmmaTouch> touched(const std::string& text, std::string* which = nullptr) {
  const std::string wgmma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, %rd0, %rd1, 1, 1, 1, 0, 0;\n";
  std::string body = text;
  for (std::size_t at = 0; (at = body.find("WGMMA", at)) != std::string::npos;) body.replace(at, 5, wgmma);
  const ptx::ParseResult parsed = ptx::parse(
      ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .f32 %d<8>;\n"
      ".reg .b32 %a<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\nld.param.u64 %rd3, [p];\n" +
      body + "\nret;\n}\n");
  for (const auto& failure : parsed.failures) FAIL(failure.reason);
  const ptx::Kernel& kernel = parsed.module.kernels.at(0);
  std::vector<WgmmaTouch> found = wgmma_touched(kernel);
  if (which != nullptr && !found.empty())
    *which = kernel.instructions[static_cast<std::size_t>(found[0].by)].text + " " +
             kernel.registers[static_cast<std::size_t>(found[0].reg)].name;
  return found;
}

TEST_CASE("registers of a wgmma that is under way are found on all paths", "[wgmma]") {
  const std::string commit = "wgmma.commit_group.sync.aligned;\n", wait0 = "wgmma.wait_group.sync.aligned 0;\n",
                    wait1 = "wgmma.wait_group.sync.aligned 1;\n", use = "st.global.f32 [%rd3], %d2;\n";
  std::string which;
  CHECK(touched("WGMMA" + commit + wait0 + use).empty());
  CHECK(touched("WGMMA" + commit + use, &which).size() == 1);
  CHECK(which == "st.global.f32 %d2");
  CHECK(touched("WGMMA" + wait0 + use).size() == 1);  // its group was never closed
  CHECK(touched("WGMMA" + commit + wait1 + use).size() == 1);
  CHECK(touched("WGMMA" + commit + commit + wait1 + use).empty());
  CHECK(touched("WGMMAWGMMA" + commit + wait0 + use).empty());  // goes on adding
  CHECK(touched("WGMMA" + commit + "add.f32 %d1, %d4, %d5;\n", &which).at(0).writes);
  const auto moved = touched("WGMMA" + commit + "mov.f32 %d7, %d3;\n" + wait0);
  REQUIRE(moved.size() == 1);
  CHECK(moved[0].move);
  // A loop that waits for the group before the last: what comes after it may still be under way.
  const std::string loop = "loop:\nWGMMA" + commit + wait1 + "setp.eq.s64 %p0, %rd2, 0;\n@%p0 bra loop;\n";
  CHECK(touched(loop + use).size() == 1);
  CHECK(touched(loop + wait0 + use).empty());
  // One of two ways waits.
  CHECK(touched("setp.eq.s64 %p0, %rd2, 0;\nWGMMA" + commit + "@%p0 bra on;\n" + wait0 + "on:\n" + use).size() == 1);
}

TEST_CASE("registers of A may be read while a wgmma is under way, not written", "[wgmma]") {
  const std::string wgmma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, %rd1, 1, 1, 1, "
      "0;\n"
      "wgmma.commit_group.sync.aligned;\n";
  CHECK(touched(wgmma + "st.global.u32 [%rd3], %a1;\n").empty());
  CHECK(touched(wgmma + "mov.u32 %a1, 0;\n").size() == 1);
}

}  // namespace
}  // namespace kerlab::emu
