// Modules: variables and their initial values, layouts, names and scopes, errors, the fixtures as a whole.

#include <cstring>
#include <map>
#include <set>
#include <string>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx_text.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;
using kerlab::Error;

namespace {

const Symbol& symbol(const std::vector<Symbol>& symbols, const std::string& name) {
  for (const Symbol& candidate : symbols) {
    if (candidate.name == name) return candidate;
  }
  throw std::runtime_error("no symbol " + name);
}

std::vector<int> bytes(const std::vector<std::byte>& image, std::int64_t from, std::int64_t count) {
  std::vector<int> result;
  for (std::int64_t i = from; i < from + count; ++i)
    result.push_back(static_cast<int>(image.at(static_cast<std::size_t>(i))));
  return result;
}

std::string error_of(const std::string& text) {
  try {
    const ParseResult result = parse(text);
    return result.failures.empty() ? "accepted" : "failure: " + result.failures[0].reason;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("ptx: initial values of module variables", "[ptx]") {
  const ParseResult result = parse_body("", R"(
.global .align 4 .u32 one = 16;
.global .align 2 .u8 text[6] = {104, 105, -1, 0x7F};
.const .align 8 .f64 half = 0d3FE0000000000000;
.global .align 4 .f32 floats[3] = {0f3F800000, -2.5, 3};
.global .align 4 .b32 grid[2][3] = {{1, 2}, {4, 5, 6}};
.global .align 8 .u64 where[2] = {generic(text)+2, one};
.global .align 1 .b8 packed[9] = {7, 0xFF(generic(one)), 0xFF00(generic(one)), 0xFF0000(generic(one)),
  0xFF000000(generic(one)), 0xFF00000000(generic(one)), 0xFF0000000000(generic(one)), 0xFF000000000000(generic(one)),
  0xFF00000000000000(generic(one))};
.global .align 4 .b32 empty[100];
)");
  const Module& module = result.module;
  REQUIRE(module.globals.size() == 8);
  CHECK(bytes(module.global_image, 0, 4) == std::vector<int>{16, 0, 0, 0});
  CHECK(bytes(module.global_image, 4, 6) == std::vector<int>{104, 105, 255, 127, 0, 0});
  float floats[3];
  std::memcpy(floats, module.global_image.data() + symbol(module.globals, "floats").offset, sizeof floats);
  CHECK(floats[0] == 1.0f);
  CHECK(floats[1] == -2.5f);
  std::int32_t grid[6];
  std::memcpy(grid, module.global_image.data() + symbol(module.globals, "grid").offset, sizeof grid);
  CHECK(std::vector<std::int32_t>(grid, grid + 6) == std::vector<std::int32_t>{1, 2, 0, 4, 5, 6});
  double half = 0;
  std::memcpy(&half, module.constant_image.data() + symbol(module.globals, "half").offset, sizeof half);
  CHECK(half == 0.5);
  CHECK(symbol(module.globals, "half").space == Space::constant);
  REQUIRE(module.relocations.size() == 3);
  CHECK(module.relocations[0].at == symbol(module.globals, "where").offset);
  CHECK(module.globals[module.relocations[0].symbol].name == "text");
  CHECK(module.relocations[0].addend == 2);
  CHECK(module.relocations[0].generic);
  CHECK_FALSE(module.relocations[1].generic);
  CHECK(module.relocations[2].at == symbol(module.globals, "packed").offset + 1);
  CHECK(symbol(module.globals, "where").offset % 8 == 0);
  CHECK(module.global_image.size() == static_cast<std::size_t>(symbol(module.globals, "empty").offset + 400));
}

TEST_CASE("ptx: parameters, shared and local variables are laid out per kernel", "[ptx]") {
  const ParseResult result = parse(R"(.version 8.0
.target sm_80
.extern .shared .align 128 .b8 dynamic[];
.shared .align 4 .b32 unused[50];
.shared .align 4 .b32 common_one[3];
.entry a(.param .u8 first, .param .align 16 .b8 second[20], .param .u64 .ptr .global .align 16 third)
.maxntid 128, 2
.reqnctapercluster 2, 1, 1
{
  .reg .b64 %x<3>; .reg .b32 %r<2>;
  .shared .align 8 .b8 own[5];
  .local .align 16 .b8 __local_depot0[24];
  .local .align 4 .b8 more[4];
  mov.u64 %x0, dynamic;
  ld.shared.u32 %r0, [common_one+4];
  mov.u64 %x1, more+8;
  ret;
}
.entry b() .reqntid 32 { ret; })");
  REQUIRE(result.failures.empty());
  const Kernel& a = result.module.kernels.at(0);
  CHECK(a.parameter_bytes == 48);
  CHECK(symbol(a.symbols, "second").offset == 16);
  CHECK(symbol(a.symbols, "third").offset == 40);
  CHECK(a.max_threads == 256);
  CHECK(a.required_cluster[0] == 2);
  CHECK(symbol(a.symbols, "own").offset == 0);
  CHECK(symbol(a.symbols, "common_one").offset == 8);
  CHECK(a.shared_bytes == 128);
  CHECK(symbol(a.symbols, "dynamic").offset == 128);
  CHECK(symbol(a.symbols, "dynamic").bytes == 0);
  CHECK(a.extern_shared_align == 128);
  CHECK(a.local_bytes == 28);
  CHECK(symbol(a.symbols, "more").offset == 24);
  CHECK(a.instructions[2].operands[1].offset == 8);
  CHECK(result.module.kernels.at(1).required_block[0] == 32);
  CHECK(result.module.kernels.at(1).required_block[2] == 1);
  CHECK(result.module.kernels.at(1).shared_bytes == 0);
}

TEST_CASE("ptx: nested scopes have registers and labels of their own", "[ptx]") {
  const ParseResult result = parse_body(R"(
{ .reg .b32 r0; .reg .pred t;
L: add.s32 r0, r1, 1; @t bra L; bra OUT; }
{ .reg .pred t;
L: add.s32 r0, r0, 2; @!t bra L; }
OUT: )");
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  const auto& i = kernel.instructions;
  REQUIRE(i.size() == 6);
  CHECK(i[1].operands[0].value == 0);
  CHECK(i[2].operands[0].value == 5);
  CHECK(i[4].operands[0].value == 3);
  CHECK(i[0].operands[0].value != i[3].operands[0].value);
  CHECK(i[1].guard != i[4].guard);
  CHECK(i[3].operands[0].value == i[3].operands[1].value);
}

TEST_CASE("ptx: numbers in all their forms", "[ptx]") {
  const std::map<std::string, std::uint64_t> cases = {
      {"mov.b64 x0, 0x10U;", 16},
      {"mov.b64 x0, -1;", ~0ull},
      {"mov.b32 r0, -1;", 0xffffffff},
      {"mov.b64 x0, 0b101;", 5},
      {"mov.b64 x0, 017;", 15},
      {"mov.b64 x0, 18446744073709551615;", ~0ull},
      {"mov.f32 f0, 0f3F800000;", 0x3f800000},
      {"mov.f32 f0, 1.5;", 0x3fc00000},
      {"mov.f64 d0, 0d3FF8000000000000;", 0x3ff8000000000000},
      {"mov.f64 d0, -2.5e-1;", 0xbfd0000000000000},
      {"mov.b16 h0, -2;", 0xfffe},
      {"mov.u32 r0, WARP_SZ;", 32},
      {"mov.pred p0, -1;", 1},
      {"mov.pred p0, 0;", 0},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    const ParseResult result = parse_body(text);
    REQUIRE(result.failures.empty());
    const Operand& operand = result.module.kernels.at(0).instructions.at(0).operands.at(1);
    CHECK(operand.kind == OperandKind::immediate);
    CHECK(operand.bits == expected);
  }
}

TEST_CASE("ptx: lines of the source are kept, comments and debug sections skipped", "[ptx]") {
  const ParseResult result = parse(R"(// a comment
.version 8.0 /* another
one */ .target sm_80, debug
.entry k() {
  .loc 2 17 3
  .reg.b32 r;
  mov.u32 r, %tid.x;
  .loc 1 5 0, function_name $info+3, inlined_at 2 18 1
  .pragma "nounroll";
  add.s32 r, r, 1;
  ret;
}
.file 1 "a.cuh"
.file 2 "b.cu", 1700000000, 123
.section .debug_str { name: .b8 65, 0 })");
  REQUIRE(result.failures.empty());
  CHECK(result.module.version_major == 8);
  CHECK(result.module.target == "sm_80");
  CHECK(result.module.files == std::vector<std::string>{"a.cuh", "b.cu"});
  const auto& i = result.module.kernels.at(0).instructions;
  CHECK(i[0].location.ptx_line == 7);
  CHECK(i[0].location.source_file == 2);
  CHECK(i[0].location.source_line == 17);
  CHECK(i[1].location.source_file == 1);
  CHECK(i[1].location.source_line == 5);
}

TEST_CASE("ptx: errors tell line and cause", "[ptx]") {
  const std::string head = ".version 8.0\n.target sm_80\n";
  CHECK(error_of("") == "ptx:1: no PTX: '.version' is missing");
  CHECK(error_of("hello") == "ptx:1: 'hello' is no directive of a module");
  CHECK(error_of(head + ".entry k() {\n bra NOWHERE; ret; }") == "ptx:4: label 'NOWHERE' stands nowhere");
  CHECK(error_of(head + ".entry k() {\nA: ret;\nA: ret; }") == "ptx:5: label 'A' stands twice");
  CHECK(error_of(head + ".entry k() {\n add.s32 a, b, c; }") == "ptx:4: 'a' is not declared");
  CHECK(error_of(head + ".entry k() {\n .reg .b32 a;\n .reg .b32 a; }") == "ptx:5: 'a' is declared twice");
  CHECK(error_of(head + ".entry k() {\n ret") == "ptx:4: an operand expected, the end of the text found");
  CHECK(error_of(head + ".entry k() {\n ret;") == "ptx:4: 'k' does not end: '}' expected");
  CHECK(error_of(head + "\x01") == "ptx:3: character 0x01 does not belong to PTX");
  CHECK(error_of(head + "/* never ends") == "ptx:3: the comment does not end");
  CHECK(error_of(head + ".entry k() {\n .reg .b32 %r<2000000>; }") ==
        "ptx:4: the number of registers 2000000 is not within 1 to 1048576");
  CHECK(error_of(head + ".entry k() {\n .shared .b32 s[99999999]; ret; }") ==
        "failure: ptx:4: 's' takes 399999996 bytes of shared memory: the limit is 1048576");
  CHECK(error_of(head + ".entry k() {\n .local .b64 s[99999999]; ret; }").find("failure: ptx:4: 's' ends at byte") ==
        0);
  CHECK(error_of(head + ".global .b64 big[1000000000000000];").find("ptx:3: an array size") == 0);
  CHECK(error_of(head + ".global .b64 big[1000000000]; .entry k() { .reg .b64 x; mov.u64 x, big; ret; }")
            .find("failure: ptx:3: 'big'") == 0);
  CHECK(error_of(head + ".entry k() { ret; } .entry k() { ret; }") == "ptx: kernel 'k' is defined twice");
}

TEST_CASE("ptx: an address that is a number gets a register", "[ptx]") {
  const ParseResult result = parse_body("ld.shared.u32 r0, [64];");
  REQUIRE(result.failures.empty());
  const auto& i = result.module.kernels.at(0).instructions;
  REQUIRE(i.size() == 3);
  CHECK(i[0].operands[1].bits == 64);
  CHECK(i[1].operands[1].value == i[0].operands[0].value);
}

TEST_CASE("ptx: vabsdiff4 is written with simpler instructions", "[ptx]") {
  const ParseResult four = parse_body("@p1 vabsdiff4.u32.u32.u32 r0, r1, r2, r3;");
  REQUIRE(four.failures.empty());
  CHECK(four.module.kernels.at(0).instructions.size() == 4 * 4 + 2);
  for (std::size_t i = 0; i < 17; ++i) CHECK(four.module.kernels[0].instructions[i].guard >= 0);
  const ParseResult sum = parse_body("vabsdiff4.u32.s32.s32.add r0, r1, r2, r3;");
  REQUIRE(sum.failures.empty());
  CHECK(sum.module.kernels.at(0).instructions.size() == 4 * 3 + 2);
}

TEST_CASE("ptx: what NVRTC makes of ordinary kernels", "[ptx]") {
  struct Expected {
    const char* file;
    std::size_t kernels;
    std::map<std::string, std::string> failures;
  };
  const Expected cases[] = {
      {"half_sm90.ptx", 4, {}},
      {"ints_sm80.ptx", 1, {}},
      {"math_sm80.ptx", 2, {}},
      {"control_sm80.ptx", 4, {}},
      {"warp_sm90.ptx", 2, {}},
      {"tensor_sm90.ptx", 5, {}},
      {"calls_sm80.ptx",
       5,
       {{"indirect", "function pointer"},
        {"virt", "function pointer"},
        {"mallocs", "'malloc' is called but not defined"}}},
      {"calls_debug.ptx",
       4,
       {{"recursive", "calls itself"},
        {"indirect", "function pointer"},
        {"virt", "function pointer"},
        {"mallocs", "'malloc' is called but not defined"}}},
  };
  for (const Expected& expected : cases) {
    CAPTURE(expected.file);
    const ParseResult result = parse(fixture(expected.file));
    CHECK(result.module.kernels.size() == expected.kernels);
    for (const auto& failure : result.failures) {
      CAPTURE(failure.kernel, failure.reason);
      const auto known = expected.failures.find(failure.kernel);
      CHECK(known != expected.failures.end());
      if (known != expected.failures.end()) CHECK_THAT(failure.reason, Catch::Contains(known->second));
    }
    CHECK(result.failures.size() == expected.failures.size());
    for (const Kernel& kernel : result.module.kernels) {
      CAPTURE(kernel.name);
      const ControlFlow flow = control_flow(kernel);
      const RegisterPlaces places = place_registers(kernel, flow, liveness(kernel, flow));
      CHECK(places.slots < 2000);
      CHECK_FALSE(to_text(kernel).empty());
    }
  }
}
