// Each modifier of each group of instructions, as the parser understands it.

#include <string>
#include <utility>

#include "catch.h"
#include "device/emu/ptx_text.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

/// All of an instruction that is not as by default; enumerations as numbers. Types last.
std::string describe(const Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  std::string text(name(instruction.opcode));
  const auto number = [&](const char* what, int value, int usual = 0) {
    if (value != usual) text += std::string(" ") + what + "=" + std::to_string(value);
  };
  const auto flag = [&](const char* what, bool value) {
    if (value) text += std::string(" ") + what;
  };
  number("rounding", static_cast<int>(m.rounding));
  number("compare", static_cast<int>(m.compare));
  number("boolean", static_cast<int>(m.boolean));
  number("atomic", static_cast<int>(m.atomic));
  number("shuffle", static_cast<int>(m.shuffle));
  number("vote", static_cast<int>(m.vote));
  number("permute", static_cast<int>(m.permute));
  number("order", static_cast<int>(m.order));
  number("class", static_cast<int>(m.float_class));
  number("part", static_cast<int>(m.part));
  number("space", static_cast<int>(m.space));
  number("vector", m.vector, 1);
  flag("to_space", m.to_space);
  flag("ftz", m.ftz);
  flag("sat", m.sat);
  flag("satfinite", m.satfinite);
  flag("relu", m.relu);
  flag("approx", m.approx);
  flag("full", m.full);
  flag("nan", m.nan);
  flag("abs", m.abs);
  flag("xorsign", m.xorsign);
  flag("cc", m.carry_out);
  flag("right", m.right);
  flag("wrap", m.wrap);
  flag("clamp", m.clamp);
  flag("shiftamt", m.shift_amount);
  flag("sync", m.synchronised);
  flag("uni", m.uniform);
  flag("arrive", m.arrive);
  flag("reduce", m.reduce);
  flag("trans", m.trans);
  flag("cta", m.scope_cta);
  number("copy", m.copy_bytes);
  number("fragment", static_cast<int>(m.fragment));
  number("m", m.m);
  number("n", m.n);
  number("k", m.k);
  flag("a_column", m.a_column);
  flag("b_column", m.b_column);
  flag("popc", m.popc);
  for (const Type type : instruction.types) text += " ." + std::string(name(type));
  if (instruction.has_second_result) text += " second";
  return text + " " + std::to_string(instruction.operands.size());
}

using Case = std::pair<const char*, const char*>;

const Case kArithmetic[] = {
    {"add.rz.ftz.sat.f32 f0, f1, f2;", "add rounding=2 ftz sat .f32 3"},
    {"add.cc.s32 r0, r1, r2;", "add cc .s32 3"},
    {"addc.cc.u32 r0, r1, r2;", "addc cc .u32 3"},
    {"subc.u64 x0, x1, x2;", "subc .u64 3"},
    {"add.sat.s32 r0, r1, r2;", "add sat .s32 3"},
    {"mul.lo.s16 h0, h1, h2;", "mul part=1 .s16 3"},
    {"mul.hi.u64 x0, x1, x2;", "mul part=2 .u64 3"},
    {"mul.wide.s32 x0, r1, -4;", "mul part=3 .s32 3"},
    {"mad.wide.u16 r0, h1, h2, r3;", "mad part=3 .u16 4"},
    {"mad.hi.sat.s32 r0, r1, r2, r3;", "mad part=2 sat .s32 4"},
    {"madc.hi.cc.u32 r0, r1, r2, r3;", "madc part=2 cc .u32 4"},
    {"mul24.lo.u32 r0, r1, r2;", "mul24 part=1 .u32 3"},
    {"fma.rn.relu.f16x2 r0, r1, r2, r3;", "fma rounding=1 relu .f16x2 4"},
    {"fma.rp.f64 d0, d1, d2, d3;", "fma rounding=4 .f64 4"},
    {"div.full.ftz.f32 f0, f1, f2;", "div ftz full .f32 3"},
    {"div.approx.f32 f0, f1, f2;", "div approx .f32 3"},
    {"rcp.approx.ftz.f64 d0, d1;", "rcp ftz approx .f64 2"},
    {"sqrt.rm.f32 f0, f1;", "sqrt rounding=3 .f32 2"},
    {"ex2.approx.ftz.bf16x2 r0, r1;", "ex2 ftz approx .bf16x2 2"},
    {"tanh.approx.f16 h0, h1;", "tanh approx .f16 2"},
    {"min.ftz.NaN.xorsign.abs.f32 f0, f1, f2;", "min ftz nan abs xorsign .f32 3"},
    {"max.s16x2 r0, r1, r2;", "max .s16x2 3"},
    {"testp.notanumber.f32 p0, f1;", "testp class=4 .f32 2"},
    {"copysign.f64 d0, d1, d2;", "copysign .f64 3"},
    {"bfind.shiftamt.s64 r0, x1;", "bfind shiftamt .s64 2"},
    {"popc.b64 r0, x1;", "popc .b64 2"},
    {"bfe.s64 x0, x1, r2, 8;", "bfe .s64 4"},
    {"bfi.b64 x0, x1, x2, r3, 8;", "bfi .b64 5"},
    {"bmsk.clamp.b32 r0, r1, r2;", "bmsk clamp .b32 3"},
    {"szext.wrap.s32 r0, r1, r2;", "szext wrap .s32 3"},
    {"shf.l.wrap.b32 r0, r1, r2, r3;", "shf wrap .b32 4"},
    {"shf.r.clamp.b32 r0, r1, r2, r3;", "shf right clamp .b32 4"},
    {"shr.s64 x0, x1, r2;", "shr .s64 3"},
    {"prmt.b32.rc16 r0, r1, r2, r3;", "prmt permute=6 .b32 4"},
    {"lop3.b32 r0, r1, r2, r3, 0xe8;", "lop3 .b32 5"},
    {"dp2a.hi.s32.u32 r0, r1, r2, r3;", "dp2a part=2 .s32 .u32 4"},
    {"and.pred p0, p1, !p2;", "and .pred 3"},
    {"slct.f32.s32 f0, f1, f2, r3;", "slct .f32 .s32 4"},
    {"selp.b64 x0, x1, 0, p1;", "selp .b64 4"},
    {"cvt.rzi.ftz.sat.s16.f32 h0, f1;", "cvt rounding=7 ftz sat .s16 .f32 2"},
    {"cvt.rn.satfinite.relu.e4m3x2.f32 h0, f1, f2;", "cvt rounding=1 satfinite relu .e4m3x2 .f32 3"},
    {"cvt.rna.tf32.f32 r0, f1;", "cvt rounding=5 .tf32 .f32 2"},
    {"cvt.s8.s32 r0, r1;", "cvt .s8 .s32 2"},
    {"set.gt.or.ftz.u32.f32 r0, f1, f2, !p1;", "set compare=5 boolean=2 ftz .u32 .f32 4"},
    {"setp.hs.and.u16 p0|p1, h1, h2, p2;", "setp compare=10 boolean=1 .u16 second 5"},
    {"setp.nan.f64 p0, d1, d2;", "setp compare=18 .f64 3"},
    {"setp.neu.bf16x2 p0|p1, r1, r2;", "setp compare=12 .bf16x2 second 4"},
};

const Case kMemory[] = {
    {"ld.param.u64 x0, [p];", "ld space=1 .u64 2"},
    {"ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {f0, f1, f2, f3}, [x1+-16];", "ld space=4 vector=4 .f32 2"},
    {"ld.acquire.cta.shared::cta.b32 r0, [r1];", "ld order=2 space=3 cta .b32 2"},
    {"ld.volatile.v2.b64 {x0, _}, [x1];", "ld order=6 vector=2 .b64 2"},
    {"ld.relaxed.sys.global.u8 h0, [x1];", "ld order=1 space=4 .u8 2"},
    {"ld.global.cv.u32 r0, [x1];", "ld order=6 space=4 .u32 2"},
    {"ld.const.u32 r0, [x1];", "ld space=5 .u32 2"},
    {"ldu.global.f32 f0, [x1];", "ldu space=4 .f32 2"},
    {"ld.global.L2::cache_hint.f32 f0, [x1], x2;", "ld space=4 .f32 2"},
    {"st.release.gpu.global.u32 [x1], r0;", "st order=3 space=4 .u32 2"},
    {"st.global.wt.v2.u32 [x1+8], {r0, 7};", "st space=4 vector=2 .u32 2"},
    {"createpolicy.fractional.L2::evict_first.b64 x0, 1.0;", "mov .b64 2"},
    {"prefetch.global.L2 [x1];", "prefetch space=4 1"},
    {"discard.global.L2 [x1], 128;", "nop space=4 0"},
    {"cvta.to.shared.u64 x0, x1;", "cvta space=3 to_space .u64 2"},
    {"cvta.param.u64 x0, x1;", "cvta space=1 .u64 2"},
    {"isspacep.shared::cta p0, x1;", "isspacep space=3 2"},
    {"mov.b64 {r0, _}, x1;", "mov .b64 2"},
    {"mov.b128 {x0, x1}, q0;", "mov .b128 2"},
    {"atom.acq_rel.gpu.global.cas.b64 x0, [x1], x2, x3;", "atom atomic=9 order=4 space=4 .b64 4"},
    {"atom.shared.inc.u32 r0, [r1], r2;", "atom atomic=10 space=3 .u32 3"},
    {"atom.add.noftz.f16x2 r0, [x1], r2;", "atom atomic=1 .f16x2 3"},
    {"atom.global.v4.f32.add {f0, f1, f2, f3}, [x1], {f4, f5, f6, f7};", "atom atomic=1 space=4 vector=4 .f32 3"},
    {"red.relaxed.cta.shared.max.s64 [r1], x0;", "red atomic=4 order=1 space=3 cta .s64 2"},
    {"fence.acq_rel.cta;", "fence order=4 cta 0"},
    {"membar.gl;", "membar order=5 0"},
    {"cp.async.cg.shared.global.L2::128B [r0], [x1], 16, r2;", "cp.async copy=16 4"},
    {"cp.async.ca.shared::cta.global [r0], [x1], 4, p1;", "cp.async copy=4 4"},
    {"cp.async.wait_group 2;", "cp.async.wait_group 1"},
};

const Case kGroups[] = {
    {"bar.sync 0;", "bar 1"},
    {"bar.arrive 1, 64;", "bar arrive 2"},
    {"bar.red.popc.u32 r0, 0, !p1;", "bar reduce .u32 3"},
    {"barrier.cta.red.or.aligned.pred p0, 1, 64, p1;", "barrier boolean=2 reduce .pred 4"},
    {"bar.warp.sync -1;", "bar.warp sync 1"},
    {"vote.sync.ballot.b32 r0, !p1, -1;", "vote vote=4 sync .b32 3"},
    {"vote.sync.uni.pred p0, p1, r2;", "vote vote=3 sync .pred 3"},
    {"match.all.sync.b64 r0|p0, x1, r2;", "match vote=1 sync .b64 second 4"},
    {"redux.sync.xor.b32 r0, r1, -1;", "redux atomic=7 sync .b32 3"},
    {"shfl.sync.bfly.b32 r0|p0, r1, 16, 31, -1;", "shfl shuffle=3 sync .b32 second 6"},
    {"elect.sync _|p0, -1;", "elect sync second 3"},
    {"activemask.b32 r0;", "activemask .b32 1"},
    {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r0, r1}, [r2];",
     "ldmatrix space=3 vector=2 sync trans m=8 n=8 .b16 2"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [r2], {r0};", "stmatrix space=3 sync m=8 n=8 .b16 2"},
    {"movmatrix.sync.aligned.m8n8.trans.b16 r0, r1;", "movmatrix sync trans m=8 n=8 .b16 2"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f0,f1,f2,f3}, {r0,r1,r2,r3}, {r4,r5}, {f0,f1,f2,f3};",
     "mma sync m=16 n=8 k=16 b_column .f32 .bf16 .bf16 .f32 4"},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {r0,r1,r2,r3}, {r0,r1,r2,r3}, {r4,r5}, {r0,r1,r2,r3};",
     "mma satfinite sync m=16 n=8 k=32 b_column .s32 .u8 .s8 .s32 4"},
    {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {r0,r1}, {r2}, {r3}, {r0,r1};",
     "mma boolean=1 sync m=8 n=8 k=128 b_column popc .s32 .b1 .b1 .s32 4"},
    {"wmma.load.b.sync.aligned.col.m8n8k4.shared.f64 {d0}, [r1], r2;",
     "wmma.load space=3 sync fragment=2 m=8 n=8 k=4 a_column .f64 3"},
    {"wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [x1], {d0, d1};",
     "wmma.store space=4 sync fragment=4 m=8 n=8 k=4 .f64 2"},
    {"wmma.mma.sync.aligned.col.row.m8n8k4.f64.f64.f64.f64 {d0,d1}, {d2}, {d3}, {d0,d1};",
     "wmma.mma sync m=8 n=8 k=4 a_column .f64 .f64 .f64 .f64 4"},
    {"nanosleep.u32 20;", "nanosleep .u32 1"},
    {"trap;", "trap 0"},
};

template <std::size_t size>
void check_all(const Case (&cases)[size]) {
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    const ParseResult result = parse_body(text);
    for (const auto& failure : result.failures) FAIL_CHECK(failure.reason);
    if (!result.failures.empty()) continue;
    const Instruction& instruction = result.module.kernels.at(0).instructions.at(0);
    CHECK(describe(instruction) == expected);
    CHECK(instruction.text + " " == std::string(text).substr(0, instruction.text.size()) + " ");
  }
}

}  // namespace

TEST_CASE("ptx: modifiers of arithmetic, logic, conversion, comparison", "[ptx]") {
  check_all(kArithmetic);
}
TEST_CASE("ptx: modifiers of memory instructions", "[ptx]") {
  check_all(kMemory);
}
TEST_CASE("ptx: modifiers of barriers, warp and matrix instructions", "[ptx]") {
  check_all(kGroups);
}

TEST_CASE("ptx: what the emulated device does not run is refused, not guessed", "[ptx]") {
  const char* const cases[] = {
      "wgmma.fence.sync.aligned;",
      "setmaxnreg.inc.sync.aligned.u32 232;",
      "cvt.pack.sat.u8.s32.b32 r0, r1, r2, r3;",
      "add.f32x2 x0, x1, x2;",
      "shfl.idx.b32 r0, r1, 0, 31;",
      "add.what.s32 r0, r1, r2;",
      "mov.u32 r0, %envreg3;",
      "tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [x0, {r0}];",
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1,r2,r3}, {r4,r5,r6,r7}, "
      "{f0,f1,f2,f3}, r8, 0;",
  };
  for (const char* text : cases) {
    CAPTURE(text);
    const ParseResult result = parse_body(text, ".entry other() { ret; }\n");
    CHECK(result.module.find("k") == nullptr);
    CHECK(result.module.find("other") != nullptr);
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].reason.find("ptx:8: ") == 0);
  }
}

TEST_CASE("ptx: operands that do not fit are refused with their place", "[ptx]") {
  const Case cases[] = {
      {"bra 5;", "operand 1 of 'bra' is no label"},
      {"brx.idx r1, 5;", "operand 2 of 'brx.idx' is no label"},
      {"bra A|B; A: B:", "';' expected, '|' found"},
      {"add.s32 r0, r1;", "takes 3 operands, 2 given"},
      {"add.s32 r0, r1, r2, r3;", "takes 3 operands, 4 given"},
      {"add.s64 x0, x1, r2;", "operand 3 of 'add.s64' ('r2') has 32 bits, 64 are needed"},
      {"add.s32 x0, r1, r2;", "operand 1 of 'add.s32' ('x0') has 64 bits, 32 are needed"},
      {"add.s32 r0, p1, r2;", "is a predicate where a value is expected"},
      {"setp.eq.s32 r0, r1, r2;", "('r0') is no predicate"},
      {"selp.b32 r0, r1, r2, r3;", "('r3') is no predicate"},
      {"add.s32 5, r1, r2;", "is a result and no register"},
      {"add.s32 _, r1, r2;", "may not be '_'"},
      {"ld.global.u32 r0, x1;", "is no address"},
      {"add.s32 r0, [x1], r2;", "is an address where none is expected"},
      {"ld.global.u64 r0, [x1];", "has 32 bits, 64 are needed"},
      {"ld.global.v2.u32 {r0, r1, r2}, [x1];", "has 3 elements, 2 are needed"},
      {"ld.global.v2.u32 r0, [x1];", "is no vector"},
      {"add.s32 r0, {r1, r2}, r3;", "is a vector where none is expected"},
      {"ld.global.u32 r0, [h1];", "has a base that is no register of 32 or 64 bits"},
      {"mov.b64 {r0, r1, r2}, x0;", "cannot have 3 elements"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1}, {r0,r1,r2,r3}, {r4,r5}, {f0,f1,f2,f3};",
       "has 2 elements, 4 are needed"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    std::string reason;
    try {
      const ParseResult result = parse_body(text);
      reason = result.failures.empty() ? "accepted" : result.failures[0].reason;
    } catch (const kerlab::Error& error) {
      reason = error.what();
    }
    CHECK(reason.find("ptx:7: ") == 0);
    CHECK_THAT(reason, Catch::Contains(expected));
  }
}
