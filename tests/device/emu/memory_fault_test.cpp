#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

/// Runs one access whose lane `bad` goes to `there` and the others to good places; its fault must say all of that.
void check_fault(MemoryLab& lab, Opcode opcode, Space space, Type type, int vector, std::uint64_t base, int bad,
                 std::uint64_t there, FaultKind kind, const std::string& what, std::uint32_t mask = ~0u) {
  const int row = ptx::bits(type) / 8 * vector;
  const Place address =
      lab.address([&](int lane) { return lane == bad ? there : base + static_cast<unsigned>(row * (lane % 4)); });
  Place value;
  for (int j = 0; j < vector; ++j) value.slots.push_back(8 + 2 * j);
  value.width = ptx::bits(type) == 64 ? 64 : 32;
  const auto instruction = access(opcode, space, type, vector);
  INFO(what << " lane " << bad);
  try {
    if (opcode == Opcode::ld)
      lab.run(instruction, {value, address}, mask);
    else
      lab.run(instruction, {address, value}, mask);
    FAIL("no fault");
  } catch (const MachineFault& fault) {
    CHECK(fault.kind() == kind);
    CHECK(fault.sticky());
    CHECK_THAT(fault.what(), Catch::Contains(what) && Catch::Contains("lane " + std::to_string(bad) + " "));
  }
}

TEST_CASE("Global memory: beyond, before and between allocations", "[emu][memory][fault]") {
  const bool v3 = GENERATE(false, true), count = GENERATE(false, true);
  const Space space = GENERATE(Space::global, Space::generic);
  const int bad = GENERATE(0, 13, 31);
  MemoryLab lab(v3);
  lab.launch.count = count;
  const DevicePtr a = lab.memory.allocate(1000), b = lab.memory.allocate(5000);
  const auto illegal = FaultKind::illegal_address;
  const auto load = [&](std::uint64_t there, int vector, const char* what) {
    check_fault(lab, Opcode::ld, space, Type::f32, vector, a, bad, there, illegal, what);
  };
  load(a + 1000, 1, "reads outside every allocation");
  load(a + 992, 4, "reads outside every allocation");  // 8 bytes of 16 lie in it
  load(a - 4, 1, "reads outside every allocation");
  load(a + 4096, 1, "reads outside every allocation");
  load(b - 16, 4, "reads outside every allocation");
  load(0, 1, "reads outside every allocation");
  load(~0ull - 15, 4, "reads outside every allocation");
  load(0x7fff'ffff'ffff'0000, 2, "reads outside every allocation");
  check_fault(lab, Opcode::st, space, Type::b64, 2, b, bad, b + 5000 - 8, illegal, "writes outside every allocation");
  check_fault(lab, Opcode::st, space, Type::u8, 1, a, bad, a + 1000, illegal, "writes outside every allocation");
  // The last byte is in.
  const auto last = access(Opcode::ld, space, Type::u8);
  lab.run(last, {{{8}, 32}, lab.address([&](int lane) { return a + 999 - static_cast<unsigned>(lane % 3); })});
}

TEST_CASE("Lanes in several allocations are all right", "[emu][memory][fault]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr a = lab.memory.allocate(64), b = lab.memory.allocate(64);
  lab.memory.at(a, 1)[8] = std::byte{1};
  lab.memory.at(b, 1)[8] = std::byte{2};
  const auto instruction = access(Opcode::ld, Space::global, Type::u32);
  lab.run(instruction, {{{8}, 32}, lab.address([&](int lane) { return (lane % 3 == 0 ? b : a) + 8; })});
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.r32(8, lane) == (lane % 3 == 0 ? 2 : 1));
}

TEST_CASE("An allocation that has gone is outside", "[emu][memory][fault]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr a = lab.memory.allocate(64), b = lab.memory.allocate(64);
  lab.memory.release(a);
  check_fault(lab, Opcode::ld, Space::global, Type::u32, 1, b, 5, a, FaultKind::illegal_address,
              "reads outside every allocation");
}

TEST_CASE("Shared memory ends with the block's", "[emu][memory][fault]") {
  const bool v3 = GENERATE(false, true), wide = GENERATE(false, true), count = GENERATE(false, true);
  const int bad = GENERATE(0, 13, 31);
  MemoryLab lab(v3);
  lab.wide = wide;
  lab.launch.count = count;
  lab.cta.shared_bytes = 1000;
  const auto illegal = FaultKind::illegal_address;
  const std::string end = "outside the block's 1000 bytes of shared memory";
  check_fault(lab, Opcode::ld, Space::shared, Type::f32, 1, 0, bad, 1000, illegal, "reads " + end);
  check_fault(lab, Opcode::ld, Space::shared, Type::f32, 4, 0, bad, 992, illegal, "reads " + end);
  check_fault(lab, Opcode::st, Space::shared, Type::f32, 2, 0, bad, 1008, illegal, "writes " + end);
  check_fault(lab, Opcode::st, Space::shared, Type::u16, 1, 0, bad, 0xfffffffe, illegal, "writes " + end);
  if (wide) {
    check_fault(lab, Opcode::ld, Space::shared, Type::f32, 1, 0, bad, 0x1'0000'0000, illegal, "reads " + end);
    check_fault(lab, Opcode::ld, Space::generic, Type::f32, 1, kSharedWindow, bad, kSharedWindow + 1000, illegal,
                "reads " + end);
  }
  lab.cta.shared_bytes = 0;
  check_fault(lab, Opcode::ld, Space::shared, Type::u8, 1, 0, 0, 0, illegal, "reads outside the block's 0 bytes");
}

TEST_CASE("Local memory and parameters end too", "[emu][memory][fault]") {
  MemoryLab lab(GENERATE(false, true));
  const auto illegal = FaultKind::illegal_address;
  check_fault(lab, Opcode::ld, Space::local, Type::f32, 1, 0, 7, 64, illegal,
              "reads outside the thread's 64 bytes of local memory");
  check_fault(lab, Opcode::st, Space::generic, Type::f32, 1, kLocalWindow, 7, kLocalWindow + 64, illegal,
              "writes outside the thread's 64 bytes of local memory");
  check_fault(lab, Opcode::ld, Space::param, Type::f32, 1, 0, 7, 96, illegal,
              "reads outside the kernel's 96 bytes of parameters");
}

TEST_CASE("Misaligned vectors fault as on hardware", "[emu][memory][fault]") {
  const bool v3 = GENERATE(false, true), count = GENERATE(false, true);
  const int bad = GENERATE(0, 21);
  MemoryLab lab(v3);
  lab.launch.count = count;
  const DevicePtr a = lab.memory.allocate(1000);
  const auto kind = FaultKind::misaligned_address;
  const std::string what = "at an address that is no multiple of ";
  check_fault(lab, Opcode::ld, Space::global, Type::f32, 4, a, bad, a + 8, kind, "reads " + what + "16");
  check_fault(lab, Opcode::ld, Space::global, Type::f32, 1, a, bad, a + 2, kind, "reads " + what + "4");
  check_fault(lab, Opcode::st, Space::global, Type::b64, 1, a, bad, a + 4, kind, "writes " + what + "8");
  check_fault(lab, Opcode::st, Space::global, Type::f64, 4, a, bad, a + 16, kind, "writes " + what + "32");
  check_fault(lab, Opcode::ld, Space::shared, Type::f32, 2, 0, bad, 4, kind, "reads " + what + "8");
  check_fault(lab, Opcode::ld, Space::shared, Type::u16, 1, 0, bad, 33, kind, "reads " + what + "2");
  check_fault(lab, Opcode::ld, Space::generic, Type::f32, 1, kSharedWindow, bad, kSharedWindow + 5, kind,
              "reads " + what + "4");
}

TEST_CASE("Lanes that do not execute may point anywhere; the lowest bad lane is named", "[emu][memory][fault]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr a = lab.memory.allocate(64);
  const auto instruction = access(Opcode::ld, Space::global, Type::f32, 2);
  const auto of_lane = [&](int lane) {
    return lane >= 8 ? 3 * static_cast<unsigned>(lane) : a + 8u * static_cast<unsigned>(lane);
  };
  lab.run(instruction, {{{8, 9}, 32}, lab.address(of_lane)}, 0xff);
  CHECK_THROWS_WITH(lab.run(instruction, {{{8, 9}, 32}, lab.address(of_lane)}, 0xfff0ff), Catch::Contains("lane 12 "));
}

TEST_CASE("Generic addresses: every lane its own window", "[emu][memory]") {
  const bool v3 = GENERATE(false, true);
  MemoryLab lab(v3);
  const DevicePtr a = lab.memory.allocate(256);
  for (int i = 0; i < 256; ++i) lab.memory.at(a, 256)[i] = static_cast<std::byte>(255 - i);
  const auto of_lane = [&](int lane) {
    const std::uint64_t offset = 4u * static_cast<unsigned>(lane % 16);
    return lane % 4 == 0   ? a + offset
           : lane % 4 == 1 ? kSharedWindow + offset
           : lane % 4 == 2 ? kLocalWindow + offset
                           : kParameterWindow + offset;
  };
  const auto load = access(Opcode::ld, Space::generic, Type::u32);
  lab.run(load, {{{8}, 32}, lab.address(of_lane)});
  for (int lane = 0; lane < kLanes; ++lane) {
    const int offset = 4 * (lane % 16);
    const std::byte* from = lane % 4 == 0   ? lab.memory.at(a, 256) + offset
                            : lane % 4 == 1 ? lab.shared.data() + offset
                            : lane % 4 == 2 ? lab.local.data() + 64 * lane + offset
                                            : lab.parameters.data() + offset;
    CHECK(std::memcmp(&lab.r32(8, lane), from, 4) == 0);
  }
}

TEST_CASE("Local memory belongs to the lane", "[emu][memory]") {
  const bool v3 = GENERATE(false, true), count = GENERATE(false, true);
  MemoryLab lab(v3);
  lab.launch.count = count;
  for (const std::uint32_t mask : {~0u, 0x0ff0f00fu})
    for (const bool scattered : {false, true}) {
      const auto of_lane = [&](int lane) { return static_cast<unsigned>(scattered ? 8 * (lane % 7) : 16); };
      lab.slots.fill(0xabababab);
      const auto load = access(Opcode::ld, Space::local, Type::f32, 2);
      lab.run(load, {{{8, 9}, 32}, lab.address(of_lane)}, mask);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::uint32_t want = 0xabababab;
        if ((mask >> lane & 1) != 0) std::memcpy(&want, lab.local.data() + 64 * lane + of_lane(lane) + 4, 4);
        CHECK(lab.r32(9, lane) == want);
      }
      const auto store = access(Opcode::st, Space::local, Type::u32);
      lab.run(store, {lab.address(of_lane), {{9}, 32}}, mask);
      for (int lane = 0; lane < kLanes; ++lane)
        if ((mask >> lane & 1) != 0)
          CHECK(std::memcmp(lab.local.data() + 64 * lane + of_lane(lane), &lab.r32(9, lane), 4) == 0);
    }
}

TEST_CASE("cvta and isspacep know the windows", "[emu][memory]") {
  MemoryLab lab(GENERATE(false, true));
  const std::pair<Space, std::uint64_t> windows[] = {{Space::shared, kSharedWindow},
                                                     {Space::local, kLocalWindow},
                                                     {Space::param, kParameterWindow},
                                                     {Space::global, 0},
                                                     {Space::constant, 0}};
  for (const auto& [space, base] : windows) {
    auto convert = access(Opcode::cvta, space, Type::u64);
    for (int lane = 0; lane < kLanes; ++lane) lab.set64(10, lane, 100u + static_cast<unsigned>(lane));
    lab.run(convert, {{{12}, 64}, {{10}, 64}});
    CHECK(lab.r64(12, 5) == base + 105);
    convert.modifiers.to_space = true;
    lab.run(convert, {{{14}, 64}, {{12}, 64}}, 0xfffffffe);
    CHECK(lab.r64(14, 5) == 105);
    CHECK(lab.r64(14, 0) == 0xabababababababab);
    if (space == Space::constant) continue;
    auto is_space = access(Opcode::isspacep, space, Type::none);
    is_space.types.clear();
    for (int lane = 0; lane < kLanes; ++lane)
      lab.set64(10, lane, windows[lane % 4].second + 8u * static_cast<unsigned>(lane));
    lab.predicates[2] = 0x00000003;
    lab.run(is_space, {{{2}, 1}, {{10}, 64}}, 0xfffffff0);
    std::uint32_t want = 3;
    for (int lane = 4; lane < kLanes; ++lane) {
      const Space there = windows[lane % 4].first;
      const bool yes = there == space || (space == Space::global && there == Space::param);
      want |= std::uint32_t{yes} << lane;
    }
    CHECK(lab.predicates[2] == want);
  }
}

TEST_CASE("Results nobody wants are not written", "[emu][memory]") {
  MemoryLab lab(GENERATE(false, true));
  const auto load = access(Opcode::ld, Space::shared, Type::f32, 4);
  lab.run(load, {{{8, -1, -1, 9}, 32}, lab.address([](int lane) { return 16 * lane; })});
  for (int lane = 0; lane < kLanes; ++lane) {
    CHECK(std::memcmp(&lab.r32(8, lane), lab.shared.data() + 16 * lane, 4) == 0);
    CHECK(std::memcmp(&lab.r32(9, lane), lab.shared.data() + 16 * lane + 12, 4) == 0);
    CHECK(lab.r32(10, lane) == 0xabababab);
  }
}

}  // namespace
}  // namespace kerlab::emu
