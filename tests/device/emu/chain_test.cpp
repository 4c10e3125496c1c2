// Chains of dependent instructions, as the time model gets them.

#include "device/emu/machine/chain.h"
#include "catch.h"
#include "device/emu/machine_lab.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

/// Of `body`, when `after` is executed next.
Stretch measured(const std::string& body, const std::string& after = "") {
  const ptx::ParseResult parsed = ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<9>;
  .reg .f32 %f<9>;
  .reg .b64 %d<9>;
)" + body + "\n  nop_follows: membar.cta;\n" +
                                             after + "\n  ret;\n}\n");
  for (const auto& failure : parsed.failures) FAIL(failure.reason);
  const ptx::Kernel& kernel = parsed.module.kernels.at(0);
  std::vector<const ptx::Instruction*> code, behind;
  bool first = true;
  for (const ptx::Instruction& instruction : kernel.instructions) {
    if (instruction.opcode == ptx::Opcode::membar) {
      first = false;
    } else {
      (first ? code : behind).push_back(&instruction);
    }
  }
  Stretch stretch;
  measure_chain(kernel, code, behind, stretch);
  return stretch;
}

}  // namespace

TEST_CASE("chain: what depends on each other adds up, what does not runs side by side", "[emu][chain]") {
  CHECK(measured("fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f5, %f2, %f3, %f6;").chain == 0);
  CHECK(
      measured("fma.rn.f32 %f1, %f2, %f3, %f4; fma.rn.f32 %f1, %f2, %f3, %f1; fma.rn.f32 %f5, %f1, %f3, %f6;").chain ==
      2 * latency::kArithmetic);
  CHECK(measured("ld.shared.f32 %f1, [%r1]; fma.rn.f32 %f1, %f1, %f3, %f4; st.shared.f32 [%r1], %f1;").chain ==
        latency::kShared + latency::kArithmetic);
}

TEST_CASE("chain: a load is waited for where it is used, or where what comes next uses it", "[emu][chain]") {
  const std::string load = "ld.global.f32 %f1, [%d1];", use = "st.shared.f32 [%r1], %f1;";
  CHECK(measured(load + use).chain == latency::kGlobal);
  CHECK(measured(load, use).chain == latency::kGlobal);
  CHECK(measured(load, "add.u32 %r1, %r1, 1;").chain == 0);
  CHECK(measured(load + "mov.f32 %f1, 0f00000000;", use).chain == 0);  // the loaded value is gone
  CHECK(measured("ld.shared.f32 %f1, [%r1];", use).chain == 0);
}

TEST_CASE("chain: copies that are awaited where they were begun", "[emu][chain]") {
  const std::string copy = "cp.async.cg.shared.global [%r1], [%d1], 16; add.u32 %r1, %r1, 1; cp.async.commit_group;";
  CHECK(measured(copy + "cp.async.wait_group 0;").awaited == 3);
  CHECK(measured(copy + "cp.async.wait_all;").awaited == 3);
  CHECK_FALSE(measured(copy + "cp.async.wait_group 1;").awaited);  // an older one
  CHECK_FALSE(measured("cp.async.wait_group 0;" + copy).awaited);
  CHECK(measured(copy + copy + "cp.async.wait_group 1;").awaited == 6);
}

TEST_CASE("chain: each time that an mbarrier is to expect bytes, a stage is filled", "[emu][chain]") {
  const std::string expect = "mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [%r1], 1024;";
  CHECK(measured(expect).commits == 1);
  CHECK(measured(expect + "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;" + expect).commits == 3);
  CHECK(measured("mbarrier.arrive.shared::cta.b64 %d1, [%r1];").commits == 0);
}
