#include "catch.h"
#include "device/emu/ptx/ir.h"

#include <string>

using namespace kerlab;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

/// A module with one kernel "k" that has the parameters "p" (64 bits) and "n" (32 bits).
ptx::ParseResult parse_body(const std::string& body) {
  return ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n" + body +
      "\n}\n");
}

}  // namespace

TEST_CASE("ptx: a guarded load with its parts", "[ptx]") {
  const ptx::ParseResult result = parse_body(R"(
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [p];
    setp.lt.and.s32 %p1, %r1, -3, !%p0;
    @!%p1 ld.global.nc.L1::no_allocate.v2.f32 {%f1, _}, [%rd1+-16];
    ret;)");
  REQUIRE(result.failures.empty());
  const ptx::Kernel& kernel = result.module.kernels.at(0);
  REQUIRE(kernel.instructions.size() == 4);
  const ptx::Instruction& load = kernel.instructions[2];
  CHECK(load.opcode == Opcode::ld);
  CHECK(load.modifiers.space == Space::global);
  CHECK(load.modifiers.vector == 2);
  CHECK(load.types == std::vector<Type>{Type::f32});
  CHECK(load.guard == kernel.instructions[1].operands[0].value);
  CHECK(load.guard_negated);
  CHECK(load.operands.at(0).kind == OperandKind::vector);
  CHECK(load.operands[0].count == 2);
  CHECK(kernel.elements.at(1).kind == OperandKind::none);
  CHECK(load.operands.at(1).offset == -16);
  CHECK(kernel.instructions[1].operands.at(2).bits == 0xfffffffdu);
  CHECK(kernel.instructions[1].operands.at(3).negated);
  CHECK(kernel.instructions[0].operands.at(1).base_is_symbol);
  CHECK(kernel.parameter_bytes == 12);
  CHECK(kernel.instructions[3].opcode == Opcode::exit);
}

TEST_CASE("ptx: an opcode that nobody knows is named with its line", "[ptx]") {
  const ptx::ParseResult result = parse_body(".reg .b32 %r<2>;\ntcgen05.wait::ld.sync.aligned;\nret;");
  REQUIRE(result.module.kernels.empty());
  REQUIRE(result.failures.size() == 1);
  CHECK(result.failures[0].kernel == "k");
  CHECK(result.failures[0].reason.find("ptx:7: opcode 'tcgen05.wait::ld.sync.aligned'") == 0);
}
