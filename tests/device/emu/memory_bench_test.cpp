// Hidden: ./kerlab_tests "[.bench]" tells how fast loads and stores are.
#include <chrono>
#include <cstdio>
#include <functional>

#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

/// Lane-instructions per second, a vector access counted once; the best of several rounds.
double lanes_per_second(MemoryLab& lab) {
  double best = 0;
  for (int round = 0; round < 300; ++round) {
    constexpr int kTimes = 1000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kTimes; ++i) lab.op.run(lab.warp, lab.op, ~0u);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::max(best, kTimes * 32.0 / took.count());
  }
  return best;
}

struct Case {
  const char* name;
  Opcode opcode;
  Space space;
  int vector;
  bool wide;
  int (*row)(int lane);  ///< of an array of rows of the access's size
};

int scattered(int lane) {
  return (lane * 2654435761u >> 7) % 200;
}

TEST_CASE("bench: loads and stores of the emulated device", "[.bench][memory_bench]") {
  const bool v3 = GENERATE(false, true);
  MemoryLab lab(v3);
  const DevicePtr global = lab.memory.allocate(1 << 20);
  std::printf("%s\n", v3 ? "x86-64-v3" : "portable");
  for (const Case& c : {
           Case{"ld.shared.v4.f32, lane/8 (4 rows)", Opcode::ld, Space::shared, 4, true, [](int l) { return l / 8; }},
           Case{"ld.shared.v4.f32, lane%8 (8 rows)", Opcode::ld, Space::shared, 4, true, [](int l) { return l % 8; }},
           Case{"ld.shared.v4.f32, lane/16 (2 rows)", Opcode::ld, Space::shared, 4, true, [](int l) { return l / 16; }},
           Case{"ld.shared.v4.f32, lane%16 (16 rows)", Opcode::ld, Space::shared, 4, true,
                [](int l) { return l % 16; }},
           Case{"ld.shared.v4.f32, consecutive", Opcode::ld, Space::shared, 4, true, [](int l) { return l; }},
           Case{"ld.shared.v4.f32, lane/8, 32-bit base", Opcode::ld, Space::shared, 4, false,
                [](int l) { return l / 8; }},
           Case{"ld.shared.v4.f32, scattered", Opcode::ld, Space::shared, 4, true, scattered},
           Case{"ld.shared.v2.f32, consecutive", Opcode::ld, Space::shared, 2, true, [](int l) { return l; }},
           Case{"ld.shared.f32, uniform", Opcode::ld, Space::shared, 1, true, [](int) { return 3; }},
           Case{"ld.shared.f32, consecutive", Opcode::ld, Space::shared, 1, true, [](int l) { return l; }},
           Case{"ld.shared.f32, scattered", Opcode::ld, Space::shared, 1, true, scattered},
           Case{"st.shared.f32, consecutive", Opcode::st, Space::shared, 1, true, [](int l) { return l; }},
           Case{"st.shared.f32, scattered", Opcode::st, Space::shared, 1, true, scattered},
           Case{"st.shared.v4.f32, consecutive", Opcode::st, Space::shared, 4, true, [](int l) { return l; }},
           Case{"ld.global.v4.f32, consecutive", Opcode::ld, Space::global, 4, true, [](int l) { return l; }},
           Case{"ld.global.v4.f32, pairs of rows", Opcode::ld, Space::global, 4, true,
                [](int l) { return l % 2 + l / 2 * 64; }},
           Case{"ld.global.f32, consecutive", Opcode::ld, Space::global, 1, true, [](int l) { return l; }},
           Case{"ld.global.f32, scattered", Opcode::ld, Space::global, 1, true, scattered},
           Case{"st.global.v4.f32, consecutive", Opcode::st, Space::global, 4, true, [](int l) { return l; }},
           Case{"st.global.f32, consecutive", Opcode::st, Space::global, 1, true, [](int l) { return l; }},
       }) {
    lab.wide = c.wide;
    const std::uint64_t base = c.space == Space::global ? global : 0;
    const Place address =
        lab.address([&](int lane) { return base + static_cast<unsigned>(4 * c.vector * c.row(lane)); });
    Place value;
    for (int j = 0; j < c.vector; ++j) value.slots.push_back(4 + j);
    const auto instruction = access(c.opcode, c.space, Type::f32, c.vector);
    if (c.opcode == Opcode::ld)
      lab.run(instruction, {value, address});
    else
      lab.run(instruction, {address, value});
    std::printf("  %-40s %6.2f G lanes/s\n", c.name, lanes_per_second(lab) / 1e9);
  }
}

}  // namespace
}  // namespace kerlab::emu
