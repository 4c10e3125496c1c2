#include <algorithm>
#include <set>
#include <string>

#include "catch.h"
#include "device/emu/ptx/flow/control_flow.h"
#include "device/emu/ptx_graph.h"

using namespace kerlab::ptx;
using namespace kerlab::ptx::test;

namespace {

std::vector<std::int32_t> next_instructions(const Kernel& kernel, const ControlFlow& flow, std::int32_t at) {
  const Block& block = flow.blocks[flow.block_of[at]];
  if (at + 1 < block.end) return {at + 1};
  (void)kernel;
  std::vector<std::int32_t> result;
  for (const std::int32_t next : block.successors) result.push_back(flow.blocks[next].begin);
  return result;
}

/// Is there a path from before `at` to a read of the register that no unguarded write cuts?
bool live_before(const Kernel& kernel, const ControlFlow& flow, std::int32_t at, std::int32_t value) {
  std::set<std::int32_t> seen;
  std::vector<std::int32_t> open{at}, registers;
  while (!open.empty()) {
    const std::int32_t i = open.back();
    open.pop_back();
    if (!seen.insert(i).second) continue;
    registers_read(kernel, kernel.instructions[i], registers);
    if (std::count(registers.begin(), registers.end(), value) > 0) return true;
    registers_written(kernel, kernel.instructions[i], registers);
    if (std::count(registers.begin(), registers.end(), value) > 0) continue;
    for (const std::int32_t next : next_instructions(kernel, flow, i)) open.push_back(next);
  }
  return false;
}

bool has(const std::vector<std::uint64_t>& bits, std::int32_t value) {
  return (bits[value / 64] >> (value % 64) & 1) != 0;
}

/// Slots (or the predicate, behind all slots) of a register.
std::set<std::int32_t> places_of(const Kernel& kernel, const RegisterPlaces& places, std::int32_t value) {
  if (kernel.registers[value].type == Type::pred) return {100000 + places.place[value]};
  if (bits(kernel.registers[value].type) <= 32) return {places.place[value]};
  return {places.place[value], places.place[value] + 1};
}

ParseResult parse_kernel(const std::string& body) {
  return parse(".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 given) {\n" + body + "\n}\n");
}

}  // namespace

TEST_CASE("liveness: what instructions read and write", "[ptx][flow]") {
  const ParseResult result = parse_kernel(R"(
    .reg .pred p, q; .reg .b32 a, b, c, d; .reg .b64 x;
    @p ld.global.v2.u32 {a, _}, [x+4];
    st.shared.v2.u32 [c], {a, b};
    setp.lt.and.s32 p|q, a, b, !q;
    atom.global.cas.b32 d, [x], a, b;
    red.global.add.u32 [x], c;
    bar.red.popc.u32 d, 0, p;
    shfl.sync.idx.b32 a|p, b, c, 31, -1;
    ret;)");
  REQUIRE(result.failures.empty());
  const Kernel& kernel = result.module.kernels.at(0);
  const auto names = [&](const std::vector<std::int32_t>& registers) {
    std::string text;
    for (const std::int32_t value : registers) text += kernel.registers[value].name;
    std::sort(text.begin(), text.end());
    return text;
  };
  std::vector<std::string> read, written;
  std::vector<std::int32_t> registers;
  for (const Instruction& instruction : kernel.instructions) {
    registers_read(kernel, instruction, registers);
    read.push_back(names(registers));
    registers_written(kernel, instruction, registers);
    written.push_back(names(registers));
  }
  CHECK(read == std::vector<std::string>{"apx", "abc", "abq", "abx", "cx", "p", "bc", ""});
  CHECK(written == std::vector<std::string>{"a", "", "pq", "d", "", "d", "ap", ""});
}

TEST_CASE("liveness: as a search of paths finds it", "[ptx][flow]") {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Kernel kernel = kernel_of(random_edges(random, 2 + static_cast<int>(random() % 8)), random, 6, 2);
    const ControlFlow flow = control_flow(kernel);
    const Liveness live = liveness(kernel, flow);
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
      for (std::int32_t value = 0; value < static_cast<std::int32_t>(kernel.registers.size()); ++value) {
        REQUIRE(has(live.in[b], value) == live_before(kernel, flow, flow.blocks[b].begin, value));
        bool out = false;
        for (const std::int32_t next : flow.blocks[b].successors) {
          out = out || live_before(kernel, flow, flow.blocks[next].begin, value);
        }
        REQUIRE(has(live.out[b], value) == out);
      }
    }
  }
}

TEST_CASE("register places: no write touches the place of a register that is live then", "[ptx][flow]") {
  std::mt19937 random(13);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Kernel kernel = kernel_of(random_edges(random, 2 + static_cast<int>(random() % 8)), random, 12, 3);
    const ControlFlow flow = control_flow(kernel);
    const RegisterPlaces places = place_registers(kernel, flow, liveness(kernel, flow));
    std::vector<std::int32_t> read, written;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kernel.instructions.size()); ++i) {
      if (flow.block_of[i] < 0) continue;
      registers_read(kernel, kernel.instructions[i], read);
      registers_written(kernel, kernel.instructions[i], written);
      std::set<std::int32_t> kept(read.begin(), read.end());
      for (const std::int32_t next : next_instructions(kernel, flow, i)) {
        for (std::int32_t value = 0; value < static_cast<std::int32_t>(kernel.registers.size()); ++value) {
          if (live_before(kernel, flow, next, value)) kept.insert(value);
        }
      }
      for (const std::int32_t target : written) {
        REQUIRE(places.place[target] >= 0);
        for (const std::int32_t value : kept) {
          if (value == target) continue;
          for (const std::int32_t place : places_of(kernel, places, value)) {
            REQUIRE(places_of(kernel, places, target).count(place) == 0);
          }
        }
      }
      for (const std::int32_t value : read) {
        for (const std::int32_t place : places_of(kernel, places, value)) {
          REQUIRE(place >= 0);
          REQUIRE((place >= 100000 || place < places.slots));
        }
      }
    }
  }
}

TEST_CASE("register places: a long chain needs few slots, unused registers none", "[ptx][flow]") {
  std::string body = ".reg .b32 %r<102>; .reg .b64 %unused;\nmov.u32 %r0, 1;\n";
  for (int i = 1; i < 100; ++i) body += "add.s32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
  const ParseResult result = parse_kernel(body + "ret;");
  const Kernel& kernel = result.module.kernels.at(0);
  const ControlFlow flow = control_flow(kernel);
  const RegisterPlaces places = place_registers(kernel, flow, liveness(kernel, flow));
  CHECK(places.slots == 2);
  CHECK(places.predicates == 0);
  CHECK(places.place[0] == -1);
}

TEST_CASE("communication between blocks, from the instructions", "[ptx][flow]") {
  const auto of = [](const std::string& body) {
    const ParseResult result = parse_kernel(".reg .b64 x; .reg .b32 a, b; .reg .pred p;\n" + body + "\nret;");
    REQUIRE(result.failures.empty());
    return communication(result.module.kernels.at(0));
  };
  CHECK(
      of("st.global.u32 [x], a; atom.shared.add.u32 a, [b], 1; st.shared.u32 [b], a; ld.volatile.shared.u32 a, [b];") ==
      Communication::none);
  CHECK(of("red.global.add.u32 [x], a;") == Communication::ordered);
  CHECK(of("atom.global.add.u32 a, [x], 1;") == Communication::ordered);
  CHECK(of("@p atom.global.add.u32 a, [x], 1;") == Communication::ordered);
  CHECK(of("atom.global.add.u32 _, [x], 1;") == Communication::ordered);
  CHECK(of("atom.global.add.u32 a, [x], 1; st.global.u32 [x+4], a;") == Communication::communicating);
  CHECK(of("ld.acquire.gpu.global.u32 a, [x];") == Communication::communicating);
  CHECK(of("ld.volatile.u32 a, [x];") == Communication::communicating);
  CHECK(of("ld.global.cv.u32 a, [x];") == Communication::communicating);
}
