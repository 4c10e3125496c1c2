// Calls of device functions become their bodies.

#include <algorithm>
#include <string>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx_text.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

/// int twice_or_zero(int x): early return for negative ones.
const char* const kCallee = R"(
.func (.param .b32 result) twice_or_zero(.param .b32 x)
{ .reg .pred p; .reg .b32 v;
  ld.param.b32 v, [x];
  setp.lt.s32 p, v, 0;
  @p bra NEGATIVE;
  add.s32 v, v, v;
  st.param.b32 [result], v;
  ret;
NEGATIVE:
  mov.b32 v, 0;
  st.param.b32 [result], v;
  ret;
}
)";

const char* const kCall = R"(
{ .param .b32 a; st.param.b32 [a], r1; .param .b32 b;
  call.uni (b), twice_or_zero, (a);
  ld.param.b32 r2, [b]; })";

std::vector<std::string> opcodes(const Kernel& kernel) {
  std::vector<std::string> result;
  for (const Instruction& instruction : kernel.instructions) result.emplace_back(name(instruction.opcode));
  return result;
}

}  // namespace

TEST_CASE("ptx: a call becomes the body, its returns branches behind it", "[ptx]") {
  const ParseResult result = parse_body(kCall, kCallee);
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  CHECK(opcodes(kernel) ==
        std::vector<std::string>{"st", "ld", "setp", "bra", "add", "st", "bra", "mov", "st", "ld", "exit"});
  CHECK(kernel.instructions[3].operands[0].value == 7);
  CHECK(kernel.instructions[6].operands[0].value == 9);
  // The caller's st.param and the callee's ld.param are the same bytes of the local frame.
  const auto place = [&](std::size_t instruction, std::size_t operand) {
    const Operand& address = kernel.instructions[instruction].operands[operand];
    REQUIRE(address.base_is_symbol);
    return kernel.symbols[address.value].offset + address.offset;
  };
  CHECK(place(0, 0) == place(1, 1));
  CHECK(place(5, 0) == place(9, 1));
  CHECK(place(0, 0) != place(5, 0));
  for (const std::size_t i : {0, 1, 5, 8, 9}) CHECK(kernel.instructions[i].modifiers.space == Space::local);
  CHECK(kernel.local_bytes >= 8);
  CHECK(kernel.instructions[1].text == "ld.param.b32");
}

TEST_CASE("ptx: each call has registers of its own, and a guarded call is jumped over", "[ptx]") {
  const ParseResult result = parse_body(std::string(kCall) + R"(
{ .param .b32 a; st.param.b32 [a], r2; .param .b32 b;
  @!p1 call (b), twice_or_zero, (a);
  ld.param.b32 r3, [b]; })",
                                        kCallee);
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  const auto& i = kernel.instructions;
  REQUIRE(i.size() == 22);
  CHECK(i[11].opcode == Opcode::bra);
  CHECK_FALSE(i[11].guard_negated);
  CHECK(i[11].operands[0].value == 20);
  CHECK(i[1].operands[0].value != i[12].operands[0].value);
  std::vector<std::int32_t> first, second;
  registers_written(kernel, i[2], first);
  registers_written(kernel, i[13], second);
  CHECK(first != second);
}

TEST_CASE("ptx: parameters in registers, and immediates", "[ptx]") {
  const ParseResult result = parse_body("call (r0), f, (r1, 7, 3);", R"(
.func (.reg .b32 out) f(.reg .b32 a, .param .b32 b, .reg .b32 c)
{ .reg .b32 t; ld.param.b32 t, [b]; add.s32 out, a, t; sub.s32 out, out, c; ret; }
)");
  REQUIRE(result.failures.empty());
  CHECK(opcodes(result.module.kernels.at(0)) ==
        std::vector<std::string>{"mov", "st", "mov", "ld", "add", "sub", "mov", "exit"});
}

TEST_CASE("ptx: functions in functions, shared variables once, local ones for each depth", "[ptx]") {
  const ParseResult result = parse_body("call outer; call outer;", R"(
.func inner() { .shared .b32 s[4]; .local .b64 frame[4]; .reg .b32 v; ld.shared.b32 v, [s]; st.local.b32 [frame+4], v; ret; }
.func outer() { .local .b64 frame[2]; .reg .b64 x; mov.u64 x, frame; call inner; call inner; ret; }
)");
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  CHECK(kernel.instructions.size() == 2 * 5 + 1);
  CHECK(kernel.shared_bytes == 16);
  CHECK(kernel.local_bytes == 16 + 32);
  CHECK(std::count_if(kernel.symbols.begin(), kernel.symbols.end(),
                      [](const Symbol& s) { return s.space == Space::shared; }) == 1);
  for (const Symbol& s : kernel.symbols) {
    if (s.name == "frame") CHECK(s.offset == (s.bytes == 16 ? 0 : 16));
  }
}

TEST_CASE("ptx: printf and assert become instructions", "[ptx]") {
  const ParseResult result = parse_body(R"(
{ .param .b64 a; st.param.b64 [a], x1; .param .b64 b; st.param.b64 [b], x2; .param .b32 r;
  call.uni (r), vprintf, (a, b); ld.param.b32 r1, [r]; }
{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  call.uni __assertfail, (a, b, c, d, e); })",
                                        R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;
)");
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  CHECK(opcodes(kernel) == std::vector<std::string>{"st", "st", "ld", "ld", "vprintf_call", "st", "ld", "ld", "ld",
                                                    "ld", "ld", "ld", "assertfail_call", "exit"});
  const Instruction& print = kernel.instructions[4];
  REQUIRE(print.operands.size() == 3);
  CHECK(kernel.registers[print.operands[0].value].type == Type::b32);
  CHECK(print.operands[1].value == kernel.instructions[2].operands[0].value);
  const Instruction& fail = kernel.instructions[12];
  CHECK(fail.operands.size() == 5);
  CHECK(kernel.registers[fail.operands[2].value].type == Type::b32);
  CHECK(communication(kernel) == Communication::ordered);
}

TEST_CASE("ptx: calls that cannot be inlined are failures of their kernel", "[ptx]") {
  const auto reason = [](const std::string& body, const std::string& before) {
    const ParseResult result = parse_body(body, before + "\n.entry other() { ret; }\n");
    CHECK(result.module.find("other") != nullptr);
    return result.failures.empty() ? std::string("accepted") : result.failures[0].reason;
  };
  CHECK_THAT(reason("call f;", ".func g(); .func f() { call g; ret; } .func g() { call f; ret; }"),
             Catch::Contains("'f' calls itself"));
  CHECK_THAT(reason("call f;", ".extern .func f();"), Catch::Contains("'f' is called but not defined"));
  CHECK_THAT(reason("call (r0), x1, (r1), proto;", ""), Catch::Contains("function pointer"));
  CHECK_THAT(reason("call f;", ".func f() { tcgen05.fence::before_thread_sync; ret; }"),
             Catch::Contains("'tcgen05.fence"));
  CHECK_THAT(reason("call f, ([x1]);", ".func f(.param .b32 a) { ret; }"), Catch::Contains("no register, variable"));
  CHECK_THAT(reason("call f, (r1);", ".func f(.param .b64 a) { ret; }"), Catch::Contains("has 32 bits, 64 are needed"));
  CHECK_THAT(reason("call f, (r1);", ".func f() { ret; }"), Catch::Contains("other parameters"));
  std::string chain = ".func f0() { ret; }\n";
  for (int i = 1; i < 40; ++i) {
    const std::string callee = "f" + std::to_string(i - 1);
    chain += ".func f" + std::to_string(i) + "() { call " + callee + "; call " + callee + "; ret; }\n";
  }
  CHECK_THAT(reason("call f39;", chain), Catch::Contains("more than 65536 calls"));
}
