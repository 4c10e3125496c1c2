// What sm_90a adds, as the parser takes it. ptx/hopper_accepted.txt and hopper_refused.txt hold one instruction a line
// with the verdict of ptxas 13.0 (-arch sm_90a) on it.

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx_text.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

std::string hopper_text(const std::string& body, const std::string& target = "sm_90a", const std::string& tail = "") {
  return ".version 9.0\n.target " + target +
         "\n.address_size 64\n.extern .shared .align 1024 .b8 dyn[];\n.visible .entry k(.param .u64 p, .param .u32 n, "
         ".param .align 64 .b8 map[128])" +
         tail +
         "\n{\n.reg .pred p<4>; .reg .b16 h<8>; .reg .b32 r<300>; .reg .b64 x<8>; .reg .f32 f<300>; .reg .f64 d<8>; "
         ".reg .b128 q<2>;\n" +
         body + "\nret;\n}\n";
}

/// Why it is refused; empty when accepted.
std::string verdict(const std::string& body, const std::string& target = "sm_90a") {
  try {
    const ParseResult result = parse(hopper_text(body, target));
    return result.failures.empty() ? "" : result.failures[0].reason;
  } catch (const kerlab::Error& error) {
    return error.what();
  }
}

std::vector<std::string> lines(const std::string& name) {
  std::vector<std::string> result;
  std::stringstream text(fixture(name));
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) result.push_back(line);
  }
  return result;
}

ParseResult parse_hopper(const std::string& body) {
  return parse(hopper_text(body));
}

std::string wgmma(int n, const std::string& shape, const std::string& types, bool half_accumulator,
                  const std::string& tail) {
  std::string d;
  for (int i = 0; i < (half_accumulator ? n / 4 : n / 2); ++i) d += fmt::format("{}r{}", i > 0 ? ", " : "", i);
  return fmt::format("wgmma.mma_async.sync.aligned.m64n{}{}.{} {{{}}}, x0, x1, {};", n, shape, types, d, tail);
}

}  // namespace

TEST_CASE("ptx: every form of sm_90a that ptxas takes is accepted", "[ptx]") {
  for (const std::string& line : lines("hopper_accepted.txt")) {
    CAPTURE(line);
    CHECK(verdict(line) == "");
  }
}

TEST_CASE("ptx: every form of sm_90a that ptxas refuses is refused, with its place", "[ptx]") {
  for (const std::string& line : lines("hopper_refused.txt")) {
    CAPTURE(line);
    CHECK_THAT(verdict(line), Catch::StartsWith("ptx:8: "));
  }
}

TEST_CASE("ptx: a refused form of sm_90a names the rule", "[ptx]") {
  const std::pair<std::string, const char*> cases[] = {
      {"mbarrier.try_wait.parity.acquire.shared::cta.b64 p0, [r0], r1;", "modifier .cta or .cluster is missing"},
      {"mbarrier.arrive.shared::cluster.b64 x1, [r0];", "must be '_' with .shared::cluster"},
      {"cp.async.bulk.shared::cluster.global [r0], [x1], 64, [r3];", ".mbarrier::complete_tx::bytes is missing"},
      {"cp.async.bulk.global.shared::cta.bulk_group [x0], [r1], 24;", "is 24, not a multiple of 16"},
      {"cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [x1, {r0,r1,r2,r3,r4,r5}], [r3];", "'.6d'"},
      {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [x1, {r0, r1}], [r3];",
       "operand 2 of 'cp.async.bulk.tensor.3d.global.shared::cta.bulk_group' has 2 elements, 3 are needed"},
      {"setmaxnreg.inc.sync.aligned.u32 100;", "is 100, not a multiple of 8"},
      {"setmaxnreg.dec.sync.aligned.u32 16;", "is 16, not 24 to 256"},
      {wgmma(12, "k16", "f32.f16.f16", false, "1, 1, 1, 0, 0"), "n is a multiple of 8 from 8 to 256"},
      {wgmma(40, "k32", "s32.s8.s8", false, "1"), "n of .s8 is 8, 24 or a multiple of 16"},
      {wgmma(8, "k32", "f32.e4m3.e4m3", false, "1, 1, 1, 0, 1"), "only 16-bit types can be transposed"},
      {wgmma(16, "k16", "f32.bf16.bf16", true, "1, 1, 1, 0, 0"), "has 4 registers for 'd', 8 are needed"},
      {wgmma(16, "k8", "f32.bf16.bf16", false, "1, 1, 1, 0, 0"), ".bf16 takes m64, k16"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {f0,f1,f2,f3}, x0, x1, r0, 0, 1, 1, 1, 0, 0;", "'.sp'"},
      {"fence.sc;", "'fence.sc' without scope"},
      {"elect.sync r0, -1;", "is not followed by"},
  };
  for (const auto& [line, rule] : cases) {
    CAPTURE(line);
    CHECK_THAT(verdict(line), Catch::Contains(rule));
  }
  CHECK_THAT(verdict("wgmma.fence.sync.aligned;", "sm_90"),
             Catch::Contains("needs '.target sm_90a', this is for sm_90"));
  CHECK_THAT(verdict("setmaxnreg.dec.sync.aligned.u32 24;", "sm_100a"), Catch::Contains("needs '.target sm_90a'"));
  CHECK_THAT(verdict("fence.proxy.async;", "sm_80"), Catch::Contains("needs '.target sm_90', this is for sm_80"));
  CHECK(verdict("mbarrier.arrive.shared.b64 x1, [r0];", "sm_80") == "");
}

TEST_CASE("ptx: every shape of wgmma is accepted, with its registers", "[ptx]") {
  for (int n = 8; n <= 256; n += 8) {
    CAPTURE(n);
    CHECK(verdict(wgmma(n, "k16", "f32.bf16.bf16", false, "1, 1, 1, 0, 0")) == "");
    CHECK(verdict(wgmma(n, "k16", "f16.f16.f16", true, "p1, -1, 1, 1, 0")) == "");
    CHECK(verdict(wgmma(n, "k8", "f32.tf32.tf32", false, "p1, 1, 1")) == "");
    CHECK(verdict(wgmma(n, "k32", "f32.e5m2.e4m3", false, "!p1, 1, 1")) == "");
    const bool of_integers = n % 16 == 0 || n == 8 || n == 24;
    CHECK((verdict(wgmma(n, "k32", "s32.u8.s8", false, "1")) == "") == of_integers);
    CHECK((verdict(wgmma(n, "k256", "s32.b1.b1.and.popc", false, "1")) == "") == of_integers);
  }
}

TEST_CASE("ptx: the operands and modifiers of mbarriers and copies", "[ptx]") {
  const ParseResult parsed = parse_hopper(
      "mbarrier.try_wait.parity.shared::cta.b64 p0, [dyn+8], r1, 1000;\n"
      "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [r0], 16;\n"
      "mbarrier.arrive.noComplete.shared.b64 x0, [r0], 2;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r0], [r1], 64, [r3];\n"
      "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster"
      ".L2::cache_hint [r0], [x1+64, {r4, r5, -1, r7, 8}], [r3], {h1, h2, 3}, h4, x2;\n"
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group [map, {r4, r5}], [r3];\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [r0], {f1, 1.0}, [r2];\n"
      "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [r1], 3, r2;\n"
      "fence.proxy.async.shared::cta;\n"
      "griddepcontrol.wait;\n"
      "barrier.cluster.arrive.relaxed.aligned;\n"
      "ld.acquire.cluster.shared::cluster.u32 r0, [r1];\n"
      "mapa.shared::cluster.u32 r0, dyn+4, 2;\n"
      "cp.async.bulk.wait_group.read 3;\n"
      "prefetch.param.tensormap [map];\n"
      "mbarrier.test_wait.b64 p0, [x0], x1;");
  REQUIRE(parsed.failures.empty());
  const Kernel& kernel = parsed.module.kernels.at(0);
  const std::vector<Instruction>& all = kernel.instructions;
  const auto m = [&](std::size_t i) -> const Modifiers& { return all[i].modifiers; };

  CHECK(all[0].opcode == Opcode::mbarrier_try_wait);
  CHECK(all[0].operands.size() == 3);
  CHECK(all[0].operands[1].base_is_symbol);
  CHECK(all[0].operands[1].offset == 8);
  CHECK((m(0).parity && m(0).order == Order::acquire && m(0).scope_cta && m(0).space == Space::shared));
  CHECK(!m(0).shared_cluster);

  CHECK((m(1).expect_tx && m(1).order == Order::relaxed && m(1).scope_cluster && !m(1).scope_cta));
  CHECK((m(1).shared_cluster && m(1).space == Space::shared));
  CHECK(all[1].operands[0].kind == OperandKind::none);
  CHECK(results(all[1]) == 1);
  CHECK((m(2).no_complete && m(2).order == Order::release));

  CHECK(all[3].opcode == Opcode::cp_async_bulk);
  CHECK((m(3).space == Space::shared && m(3).shared_cluster && m(3).source_space == Space::shared));
  CHECK(m(3).completion == Completion::mbarrier);

  CHECK((m(4).dimensions == 5 && m(4).im2col && m(4).multicast));
  CHECK(m(4).source_space == Space::global);
  REQUIRE(all[4].operands.size() == 6);
  CHECK(all[4].operands[1].offset == 64);
  CHECK(all[4].operands[2].count == 5);
  CHECK(kernel.elements[all[4].operands[2].value + 2].bits == 0xffffffff);
  CHECK(all[4].operands[4].count == 3);
  CHECK(all[4].operands[5].kind == OperandKind::reg);

  CHECK((m(5).atomic == Atomic::xor_ && m(5).completion == Completion::bulk_group && m(5).space == Space::global));
  CHECK(all[5].operands.size() == 3);
  CHECK(m(6).vector == 2);
  CHECK(all[6].types == std::vector<Type>{Type::f32});
  CHECK(kernel.elements[all[6].operands[1].value + 1].bits == 0x3f800000);
  CHECK((m(7).field == MapField::box_dim && m(7).space == Space::shared));
  CHECK(all[7].types == std::vector<Type>{Type::b32});
  CHECK(m(8).proxy == Proxy::async_shared);
  CHECK(m(9).wait);
  CHECK(m(10).order == Order::relaxed);
  CHECK((m(11).shared_cluster && m(11).scope_cluster && m(11).order == Order::acquire));
  CHECK(all[12].operands[1].kind == OperandKind::symbol);
  CHECK(m(13).read);
  CHECK((all[14].opcode == Opcode::prefetch_tensormap && m(14).space == Space::param));
  CHECK(!m(15).parity);
  CHECK(to_text(kernel, all[5]) ==
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group [map], {r4#6, r5#7}, [r3#4];");
}

TEST_CASE("ptx: scales and layouts of wgmma are modifiers, scale-d is an operand", "[ptx]") {
  const ParseResult parsed = parse_hopper(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0,f1,f2,f3}, x0, x1, !p1, -1, 1, 0, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, {r0,r1,r2,r3}, x1, 0, 1, -1, 1;");
  REQUIRE(parsed.failures.empty());
  const Kernel& kernel = parsed.module.kernels.at(0);
  const Instruction& first = kernel.instructions[0];
  CHECK((first.modifiers.negate_a && !first.modifiers.negate_b));
  CHECK((!first.modifiers.a_column && first.modifiers.b_column));
  CHECK((first.modifiers.m == 64 && first.modifiers.n == 8 && first.modifiers.k == 16));
  REQUIRE(first.operands.size() == 4);
  CHECK(first.operands[3].negated);
  const Instruction& second = kernel.instructions[1];
  CHECK((!second.modifiers.negate_a && second.modifiers.negate_b));
  CHECK((!second.modifiers.a_column && second.modifiers.b_column));
  CHECK(second.operands[3].kind == OperandKind::immediate);

  std::vector<std::int32_t> read, written;
  registers_read(kernel, first, read);
  registers_written(kernel, first, written);
  CHECK(read.size() == 4 + 2 + 1);
  CHECK(written.size() == 4);
}

TEST_CASE("ptx: an accumulator keeps its place until wgmma.wait_group 0", "[ptx]") {
  const std::string multiply =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f0,f1,f2,f3}, x0, x1, 1, 1, 1, 0, 0;\n";
  const std::string load =
      "ld.global.f32 f4, [x2]; ld.global.f32 f5, [x2]; st.global.f32 [x2], f4; "
      "st.global.f32 [x2], f5;\n";
  const std::string wait0 = "wgmma.wait_group.sync.aligned 0;\n", wait1 = "wgmma.wait_group.sync.aligned 1;\n";
  const auto shares = [&](const std::string& body) {
    const ParseResult parsed = parse_hopper(body);
    REQUIRE(parsed.failures.empty());
    const Kernel& kernel = parsed.module.kernels.at(0);
    const ControlFlow flow = control_flow(kernel);
    const RegisterPlaces places = place_registers(kernel, flow, liveness(kernel, flow));
    const auto place = [&](const std::string& wanted) {
      for (std::size_t i = 0; i < kernel.registers.size(); ++i) {
        if (kernel.registers[i].name == wanted) return places.place[i];
      }
      return -1;
    };
    bool any = false;
    for (const char* accumulator : {"f0", "f1", "f2", "f3"}) {
      any = any || place(accumulator) == place("f4") || place(accumulator) == place("f5");
    }
    return any;
  };
  CHECK(shares(multiply + wait0 + load));
  CHECK(!shares(multiply + load + wait0));
  CHECK(!shares(multiply + wait1 + load + wait0));
  CHECK(!shares(multiply + "@p0 bra L; add.s32 r0, r0, 1; L:\n" + load + wait0));
}

TEST_CASE("ptx: a cluster alone does not make blocks communicate, reductions in global memory are ordered", "[ptx]") {
  const auto of = [](const std::string& body) {
    const ParseResult parsed = parse(hopper_text(body, "sm_90a", " .reqnctapercluster 2, 1, 1"));
    REQUIRE(parsed.failures.empty());
    CHECK(parsed.module.kernels.at(0).required_cluster[0] == 2);
    return communication(parsed.module.kernels.at(0));
  };
  CHECK(of("barrier.cluster.arrive; barrier.cluster.wait;") == Communication::none);
  CHECK(of("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r0], r1, [r2];") ==
        Communication::none);
  CHECK(of("ld.acquire.cluster.shared::cluster.u32 r0, [r1]; atom.shared::cluster.add.u32 r2, [r1], r2; "
           "st.shared.u32 [r1], r2;") == Communication::none);
  CHECK(of("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [x0], [r1], 64;") == Communication::ordered);
  CHECK(of("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [x0, {r2}], [r1];") ==
        Communication::ordered);
  CHECK(of("ld.acquire.gpu.global.u32 r0, [x1];") == Communication::communicating);
}

TEST_CASE("ptx: a kernel of wgmma and tensor copies, as NVRTC writes it", "[ptx]") {
  const ParseResult result = parse(fixture("gemm_wgmma_swap.ptx"));
  REQUIRE(result.failures.empty());
  const auto count = [&](Opcode opcode) {
    const std::vector<Instruction>& all = result.module.kernels.at(0).instructions;
    return std::count_if(all.begin(), all.end(), [&](const Instruction& i) { return i.opcode == opcode; });
  };
  CHECK(count(Opcode::wgmma_mma_async) == 8);
  CHECK(count(Opcode::cp_async_bulk_tensor) == 3);
  CHECK(count(Opcode::mbarrier_init) == 17);
  CHECK(count(Opcode::mbarrier_try_wait) == 2);
}
