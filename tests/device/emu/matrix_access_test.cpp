// ldmatrix and stmatrix, and that every memory instruction of the fixtures has a handler.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.h"
#include "device/emu/memory_lab.h"
#include "locations.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

ptx::Instruction matrices(Opcode opcode, int count, bool trans, Space space = Space::shared) {
  ptx::Instruction instruction = access(opcode, space, Type::b16, count);
  instruction.modifiers.m = instruction.modifiers.n = 8;
  instruction.modifiers.trans = trans;
  instruction.text = opcode == Opcode::ldmatrix ? "ldmatrix" : "stmatrix";
  return instruction;
}

/// Where row r of matrix j lies: 80 bytes apart, in an order that is not that of the rows.
int row_offset(int j, int r) {
  return ((8 * j + r) * 5 % 32) * 80;
}

/// PTX ISA, ldmatrix: lane l has, in register j, elements 2 (l % 4) and + 1 of row l / 4, of the transposed matrix with
/// .trans.
std::uint32_t fragment(const std::vector<std::byte>& shared, int j, int lane, bool trans) {
  std::uint16_t element[2];
  for (int e = 0; e < 2; ++e) {
    const int row = lane / 4, column = 2 * (lane % 4) + e;
    const int at = trans ? row_offset(j, column) + 2 * row : row_offset(j, row) + 2 * column;
    std::memcpy(&element[e], shared.data() + at, 2);
  }
  return element[0] | std::uint32_t{element[1]} << 16;
}

/// Registers of `count` matrices; the braces are there also for one.
void run(MemoryLab& lab, const ptx::Instruction& instruction, const Place& address, int count,
         std::uint32_t mask = ~0u) {
  Place value;
  for (int j = 0; j < count; ++j) value.slots.push_back(8 + j);
  value.braces = true;
  if (instruction.opcode == Opcode::ldmatrix)
    lab.run(instruction, {value, address}, mask);
  else
    lab.run(instruction, {address, value}, mask);
}

TEST_CASE("ldmatrix gives each lane its fragment", "[emu][matrix_access]") {
  const bool v3 = GENERATE(false, true), wide = GENERATE(false, true), trans = GENERATE(false, true),
             count = GENERATE(false, true);
  const int number = GENERATE(1, 2, 4);
  MemoryLab lab(v3);
  lab.wide = wide;
  lab.launch.count = count;
  const auto instruction = matrices(Opcode::ldmatrix, number, trans);
  // Lanes beyond the matrices' rows may point anywhere.
  run(lab, instruction,
      lab.address([&](int lane) { return lane < 8 * number ? row_offset(lane / 8, lane % 8) : 99999; }), number);
  for (int j = 0; j < number; ++j)
    for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.r32(8 + j, lane) == fragment(lab.shared, j, lane, trans));
  if (count) {
    CHECK(lab.cta.counts.shared_requests == 1);
    CHECK(lab.cta.counts.shared_load_bytes == 128 * number);
  }
}

TEST_CASE("stmatrix writes what ldmatrix reads", "[emu][matrix_access]") {
  const bool v3 = GENERATE(false, true), trans = GENERATE(false, true);
  const int number = GENERATE(1, 2, 4);
  MemoryLab lab(v3);
  for (int j = 0; j < number; ++j)
    for (int lane = 0; lane < kLanes; ++lane)
      lab.r32(8 + j, lane) = static_cast<std::uint32_t>(0x10003 * (64 * j + lane) + 0x70000);
  const auto before = lab.slots;
  run(lab, matrices(Opcode::stmatrix, number, trans),
      lab.address([&](int lane) { return row_offset(lane / 8 % number, lane % 8); }), number);
  for (int j = 0; j < number; ++j)
    for (int lane = 0; lane < kLanes; ++lane)
      CHECK(fragment(lab.shared, j, lane, trans) == before[static_cast<std::size_t>((8 + j) * kLanes + lane)]);
}

TEST_CASE("ldmatrix: bank conflicts, faults, generic addresses", "[emu][matrix_access]") {
  MemoryLab lab(GENERATE(false, true));
  const auto load = matrices(Opcode::ldmatrix, 4, false);
  lab.launch.count = true;
  run(lab, load, lab.address([](int lane) { return 16 * lane; }), 4);
  CHECK(lab.cta.counts.shared_wavefronts == 4);
  run(lab, load, lab.address([](int lane) { return lane % 8 * 128; }), 4);  // all rows of a matrix in four banks
  CHECK(lab.cta.counts.shared_wavefronts == 4 + 32);
  lab.launch.count = false;
  CHECK_THROWS_WITH(run(lab, load, lab.address([](int lane) { return 16 * lane + (lane == 9 ? 8 : 0); }), 4),
                    Catch::Contains("no multiple of 16") && Catch::Contains("lane 9 "));
  CHECK_THROWS_WITH(run(lab, load, lab.address([](int lane) { return 16 * lane + (lane == 17 ? 4096 : 0); }), 4),
                    Catch::Contains("outside the block's 4096 bytes") && Catch::Contains("lane 17 "));
  run(lab, matrices(Opcode::ldmatrix, 1, false, Space::generic),
      lab.address([](int lane) { return kSharedWindow + static_cast<unsigned>(row_offset(0, lane % 8)); }), 1);
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.r32(8, lane) == fragment(lab.shared, 0, lane, false));
  ptx::Instruction bytes = load;
  bytes.modifiers.m = bytes.modifiers.n = 16;
  CHECK(portable::select_memory(bytes) == nullptr);
}

TEST_CASE("Memory instructions of the fixtures have handlers", "[emu][memory][select]") {
  const std::set<Opcode> mine = {Opcode::ld,
                                 Opcode::ldu,
                                 Opcode::st,
                                 Opcode::cvta,
                                 Opcode::isspacep,
                                 Opcode::prefetch,
                                 Opcode::atom,
                                 Opcode::red,
                                 Opcode::ldmatrix,
                                 Opcode::stmatrix,
                                 Opcode::cp_async,
                                 Opcode::cp_async_commit_group,
                                 Opcode::cp_async_wait_all,
                                 Opcode::cp_async_wait_group};
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests_folder() / "device/emu")) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    ptx::ParseResult parsed;
    try {
      parsed = ptx::parse(text.str());
    } catch (const Error&) {
      continue;  // fixtures of the parser that are wrong on purpose
    }
    for (const ptx::Kernel& kernel : parsed.module.kernels)
      for (const ptx::Instruction& instruction : kernel.instructions) {
        if (mine.count(instruction.opcode) == 0) continue;
        if (!instruction.types.empty() && instruction.types[0] == Type::b128) continue;  // not emulated
        ++seen;
        INFO(entry.path() << ":" << instruction.location.ptx_line << " " << instruction.text);
        CHECK((portable::select_memory(instruction) != nullptr || portable::select_atomic(instruction) != nullptr));
      }
  }
  CHECK(seen > 1000);
}

}  // namespace
}  // namespace kerlab::emu
