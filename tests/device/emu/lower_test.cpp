// What lowering makes of a kernel: blocks, slots, constants, profiles.

#include <algorithm>

#include "device/emu/machine/program.h"
#include "device/emu/machine_lab.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

struct Lowered {
  ptx::ParseResult parsed;
  ProgramPtr program;
  explicit Lowered(const std::string& body)
      : parsed(ptx::parse(R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 7;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
  .shared .align 4 .b8 first[24];
  .shared .align 4 .b8 second[8];
)" + body + "\n}\n")) {
    for (const auto& failure : parsed.failures) FAIL(failure.reason);
    program = lower(parsed.module.kernels.at(0), 0x1000000, 0x2000000, &parsed.module.files);
  }
  [[nodiscard]] const std::vector<Block>& blocks() const { return program->blocks; }
  [[nodiscard]] std::vector<End> endings() const {
    std::vector<End> kinds;
    for (const Block& block : blocks()) kinds.push_back(block.kind);
    return kinds;
  }
  [[nodiscard]] const Op& op(const std::string& text) const {
    const auto it = std::find_if(program->ops.begin(), program->ops.end(),
                                 [&](const Op& o) { return o.instruction->text == text; });
    REQUIRE(it != program->ops.end());
    return *it;
  }
  /// What a constant slot holds.
  [[nodiscard]] const Constant& constant(std::int32_t slot) const {
    const auto it = std::find_if(program->constants.begin(), program->constants.end(),
                                 [&](const Constant& c) { return c.slot == slot; });
    REQUIRE(it != program->constants.end());
    return *it;
  }
};

}  // namespace

TEST_CASE("lowering: each constant once, 64 bits apart from 32", "[emu][lower]") {
  const Lowered it(R"(
  ld.param.u32 %r1, [n];
  add.u32 %r2, %r1, 5;
  mul.lo.u32 %r3, %r2, 5;
  cvt.u64.u32 %d1, %r3;
  add.u64 %d2, %d1, 5;
  shl.b64 %d3, %d2, 5;
  ld.param.u64 %d4, [p];
  st.global.u64 [%d4 + -8], %d3;
  ret;)");
  const Op& add = it.op("add.u32");
  CHECK(it.op("mul.lo.u32").slot[2] == add.slot[2]);
  CHECK(it.op("shl.b64").slot[2] == add.slot[2]);
  const Op& wide = it.op("add.u64");
  CHECK(wide.slot[2] != add.slot[2]);
  CHECK(it.constant(wide.slot[2]).wide);
  CHECK_FALSE(it.constant(add.slot[2]).wide);
  CHECK(it.constant(add.slot[2]).bits == 5);
  CHECK(it.program->slots >= static_cast<std::int32_t>(it.program->constants.size()));
  const Op& store = it.op("st.global.u64");
  CHECK(store.wide_address);
  CHECK(store.immediate == -8);
  CHECK(store.width[1] == 64);
}

TEST_CASE("lowering: addresses of variables", "[emu][lower]") {
  const Lowered it(R"(
  ld.shared.u32 %r1, [second + 4];
  ld.global.u32 %r2, [counter];
  ld.param.u32 %r3, [n];
  mov.u32 %r4, dynamic;
  st.shared.u32 [%r4 + 12], %r1;
  mov.u64 %d1, counter;
  st.global.u32 [%d1], %r2;
  ret;)");
  const Op& shared = it.op("ld.shared.u32");
  CHECK_FALSE(shared.wide_address);
  CHECK(it.constant(shared.slot[1]).bits == 24);
  CHECK(shared.immediate == 4);
  const Op& global = it.op("ld.global.u32");
  CHECK(global.wide_address);
  CHECK(it.constant(global.slot[1]).bits == 0x1000000);
  CHECK(it.constant(it.op("ld.param.u32").slot[1]).bits == 8);
  CHECK(it.constant(it.op("mov.u32").slot[1]).bits == 32);
  CHECK(it.constant(it.op("mov.u64").slot[1]).bits == 0x1000000);
  CHECK(it.constant(it.op("mov.u64").slot[1]).wide);
}

TEST_CASE("lowering: lanes gather before the first warp instruction of a block", "[emu][lower]") {
  const Lowered it(R"(
  mov.u32 %r1, %laneid;
  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
  add.u32 %r2, %r2, %r1;
  shfl.sync.bfly.b32 %r3, %r2, 2, 31, 0xffffffff;
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, 3;
  vote.sync.ballot.b32 %r5, %p1, %r1;
  ret;)");
  CHECK(it.endings() == std::vector<End>{End::converge, End::next, End::collective, End::collective, End::exit});
  CHECK(it.blocks()[1].end - it.blocks()[1].begin == 3);
}

TEST_CASE("lowering: branches, and loops that wait", "[emu][lower]") {
  const Lowered it(R"(
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
spin:
  ld.volatile.global.u32 %r2, [%d1];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra spin;
loop:
  add.u32 %r1, %r1, -1;
  setp.ne.u32 %p2, %r1, 0;
  @!%p2 bra done;
  bra.uni loop;
done:
  ret;)");
  REQUIRE(it.blocks().size() == 5);
  CHECK(it.blocks()[0].kind == End::next);
  CHECK(it.blocks()[1].kind == End::branch);
  CHECK(it.blocks()[1].taken == 1);
  CHECK(it.blocks()[1].next == 2);
  CHECK(it.blocks()[1].spin == kSpinCost);
  CHECK(it.blocks()[2].flip == ~0u);
  CHECK(it.blocks()[2].spin == 0);
  CHECK(it.blocks()[3].kind == End::next);
  CHECK(it.blocks()[3].next == 2);
  CHECK(it.blocks()[4].kind == End::exit);
}

TEST_CASE("lowering: what a block is counted as", "[emu][lower]") {
  const Lowered it(R"(
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  cvt.rn.f32.u32 %r2, %r1;
  fma.rn.f32 %r3, %r2, %r2, %r2;
  add.f32 %r3, %r3, %r2;
  @%p1 mul.f32 %r3, %r3, %r3;
  membar.gl;
  bar.sync 0;
  ret;)");
  const BlockProfile& profile = it.program->profiles[0];
  const auto issued = [&](Pipe pipe) { return profile.issued[static_cast<std::size_t>(pipe)]; };
  CHECK(issued(Pipe::fp32) == 3);
  CHECK(profile.by_lane[static_cast<std::size_t>(Pipe::fp32)] == 2);
  CHECK(profile.flops == 3);
  CHECK(issued(Pipe::barrier) == 2);
  CHECK(issued(Pipe::compare) == 1);
  CHECK(issued(Pipe::conversion) == 1);
  CHECK(it.blocks()[0].instructions == 8);
  CHECK(it.blocks()[0].guarded);
  REQUIRE(it.program->counted_ops.size() == 1);
  CHECK(it.program->counted_ops[0].flops == 1);
  CHECK(it.program->counted_ops[0].pipe == Pipe::fp32);
}

TEST_CASE("lowering: an instruction that no handler takes is named with its line", "[emu][lower]") {
  std::string message;
  try {
    const Lowered it("  redux.sync.add.f32 %r1, %r2, -1;\n  ret;");
  } catch (const ptx::Unsupported& e) {
    message = e.what();
  }
  CHECK(message == "ptx:14: redux.sync.add.f32 is not emulated");
}

TEST_CASE("lowering: registers that may be unset begin as zero", "[emu][lower]") {
  const Lowered it(R"(
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mov.u32 %r2, 3;
  @%p1 mov.u64 %d2, 3;
  add.u32 %r3, %r2, %r1;
  st.global.u32 [%d1], %r3;
  st.global.u64 [%d1 + 8], %d2;
  ret;)");
  CHECK(it.program->zeroed_slots.size() == 3);
  CHECK(it.program->zeroed_predicates.empty());
}

TEST_CASE("lowering: the addend of mad.wide is as wide as its result", "[emu][lower]") {
  const Lowered it(R"(
  mad.wide.u16 %r1, %h1, %h2, 5;
  mad.wide.s32 %d1, %r1, %r2, 6;
  ret;
)");
  CHECK_FALSE(it.constant(it.op("mad.wide.u16").slot[3]).wide);
  CHECK(it.constant(it.op("mad.wide.s32").slot[3]).wide);
}

TEST_CASE("lowering: mma knows which fragments an earlier one has read", "[emu][lower]") {
  const Lowered it(R"(
  .reg .f32 %f<4>;
  .reg .b32 %a<4>, %b<4>;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%f0,%f1,%f2,%f3};
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, {%b2,%b3}, {%f0,%f1,%f2,%f3};
  add.u32 %a3, %a3, 1;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%f0,%f1,%f2,%f3};
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, {%b0,%b3}, {%f0,%f1,%f2,%f3};
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%f0,%f1,%f2,%f3};
  ret;
)");
  std::vector<int> unchanged;
  for (const Op& op : it.program->ops)
    if (op.instruction->opcode == ptx::Opcode::mma) unchanged.push_back(op.unchanged);
  // Bit 1: A, bit 2: B. B's fragments are told apart by their first register.
  CHECK(unchanged == std::vector<int>{0, 2, 4, 2, 2});
}
