#include "session/analyse/assembly.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("assembly: instructions of PTX stand below the line told last", "[session][assembly]") {
  const auto blocks = parse_ptx(R"(
.version 9.0
.visible .entry twice(
	.param .u64 twice_param_0
)
{
	.reg .b32 	%r<4>;
	.loc	1 3 13
	mov.u32 	%r1, %ctaid.x;
	mad.lo.s32 	%r2, %r1, 64, %r3; // a remark
	.loc	2 12 3, function_name $L__info_string0, inlined_at 1 4 5
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
		{%f1, %f2, %f3, %f4},
		{%r1, %r2};
	.loc	1 4 7
	@%p1 bra 	$L__BB0_2;
	cp.async.cg.shared.global [%r1], [%rd1], 16;
$L__BB0_2:
	ret;
}
	.file	1 "/k/twice.cu"
	.file	2 "/k/common/mma.cuh"
)");
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].kernel == "twice");
  CHECK(blocks[0].file == "/k/twice.cu");
  CHECK(blocks[0].line == 3);
  REQUIRE(blocks[0].instructions.size() == 2);
  CHECK(blocks[0].instructions[1].text == "mad.lo.s32 	%r2, %r1, 64, %r3;");
  CHECK(blocks[1].file == "/k/common/mma.cuh");
  CHECK(blocks[1].line == 12);
  REQUIRE(blocks[1].instructions.size() == 1);
  CHECK(blocks[1].instructions[0].tensor);
  REQUIRE(blocks[2].instructions.size() == 3);
  CHECK_FALSE(blocks[2].instructions[0].copy);
  CHECK(blocks[2].instructions[1].copy);
}

TEST_CASE("assembly: scopes of inline assembly do not end the kernel", "[session][assembly]") {
  const auto blocks = parse_ptx(R"(
.visible .entry twice()
{
	.loc	1 3 13
	// begin inline asm
	{ .reg .pred p; setp.ne.b32 p, %r1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
		{%f1, %f2, %f3, %f4}, %rd1, %rd2, p, 1, 1, 0, 0; }
	// end inline asm
	{
	.reg .b64 t;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 p, [%r2], %r3;
	}
	.loc	1 4 7
	ret;
}
.visible .entry other()
{
	ret;
}
)");
  REQUIRE(blocks.size() == 3);
  REQUIRE(blocks[0].instructions.size() == 3);
  CHECK(blocks[0].instructions[0].text == "setp.ne.b32 p, %r1, 0;");
  CHECK(blocks[0].instructions[1].tensor);
  CHECK(blocks[0].instructions[2].text == "mbarrier.try_wait.parity.shared::cta.b64 p, [%r2], %r3;");
  CHECK(blocks[1].line == 4);
  CHECK(blocks[2].kernel == "other");
}

TEST_CASE("assembly: SASS as nvdisasm prints it with line information", "[session][assembly]") {
  const auto blocks = parse_sass(R"(
	.section	.text.twice,"ax",@progbits
.text.twice:
	//## File "/k/twice.cu", line 3
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 HMMA.16816.F32.BF16 R4, R8, R12, R4 ;
	//## File "/k/common/mma.cuh", line 12 inlined at "/k/twice.cu", line 4
        /*0020*/                   LDGSTS.E.BYPASS.128 [R3], desc[UR4][R6.64] ;
.L_x_1:
        /*0030*/                   HFMA2.MMA R6, -RZ, RZ, 0, 0 ;
        /*0040*/                   BRA `(.L_x_1);
)");
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].kernel == "twice");
  CHECK(blocks[0].line == 3);
  REQUIRE(blocks[0].instructions.size() == 2);
  CHECK(blocks[0].instructions[0].text == "LDC R1, c[0x0][0x28]");
  CHECK(blocks[0].instructions[1].tensor);
  CHECK(blocks[1].line == 12);
  REQUIRE(blocks[1].instructions.size() == 3);
  CHECK(blocks[1].instructions[0].copy);
  CHECK_FALSE(blocks[1].instructions[1].tensor);  // makes a constant
}
