#include <bit>

#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

/// The counts of one access: lane l at base + of_lane(l).
template <class OfLane>
Counts counted(MemoryLab& lab, Opcode opcode, Space space, Type type, int vector, std::uint64_t base, OfLane of_lane,
               std::uint32_t mask = ~0u) {
  lab.launch.count = true;
  lab.cta.counts = {};
  const Place address = lab.address([&](int lane) { return base + static_cast<std::uint64_t>(of_lane(lane)); });
  Place value;
  for (int j = 0; j < vector; ++j) value.slots.push_back(8 + 2 * j);
  value.width = ptx::bits(type) == 64 ? 64 : 32;
  const auto instruction = access(opcode, space, type, vector);
  if (opcode == Opcode::ld)
    lab.run(instruction, {value, address}, mask);
  else
    lab.run(instruction, {address, value}, mask);
  return lab.cta.counts;
}

TEST_CASE("Shared wavefronts of known patterns", "[emu][memory][count]") {
  MemoryLab lab(GENERATE(false, true));
  const auto wavefronts = [&](Type type, int vector, auto of_lane, std::uint32_t mask = ~0u) {
    const Counts counts = counted(lab, Opcode::ld, Space::shared, type, vector, 0, of_lane, mask);
    CHECK(counts.shared_requests == 1);
    CHECK(counts.shared_load_bytes == std::popcount(mask) * vector * ptx::bits(type) / 8);
    CHECK(counts.shared_store_bytes == 0);
    CHECK(counts.global_requests == 0);
    return counts.shared_wavefronts;
  };
  const auto stride = [](int bytes) { return [bytes](int lane) { return bytes * lane; }; };
  CHECK(wavefronts(Type::f32, 1, stride(4)) == 1);
  CHECK(wavefronts(Type::f32, 1, stride(0)) == 1);  // broadcast
  CHECK(wavefronts(Type::f32, 1, stride(8)) == 2);
  CHECK(wavefronts(Type::f32, 1, stride(12)) == 1);  // an odd stride of words
  CHECK(wavefronts(Type::f32, 1, stride(128)) == 32);
  CHECK(wavefronts(Type::f32, 1, stride(128), 0x7) == 3);
  CHECK(wavefronts(Type::f32, 1, [](int lane) { return lane % 2 * 128; }) == 2);
  CHECK(wavefronts(Type::u16, 1, stride(2)) == 1);  // two lanes in a word
  CHECK(wavefronts(Type::u8, 1, stride(1)) == 1);
  CHECK(wavefronts(Type::u8, 1, stride(128)) == 32);
  CHECK(wavefronts(Type::f64, 1, stride(8)) == 2);  // two halves
  CHECK(wavefronts(Type::f64, 1, stride(16)) == 4);
  CHECK(wavefronts(Type::f64, 1, stride(0)) == 1);                               // neighbours share: the halves are one
  CHECK(wavefronts(Type::f64, 1, stride(8), 0xffff) == 1);                       // the upper half does nothing
  CHECK(wavefronts(Type::f32, 4, stride(16)) == 4);                              // four quarters
  CHECK(wavefronts(Type::f32, 4, [](int lane) { return lane / 8 * 16; }) == 2);  // neighbours share
  CHECK(wavefronts(Type::f32, 4, [](int lane) { return lane % 2 * 16; }) == 2);  // lanes i and i ^ 2 do
  CHECK(wavefronts(Type::f32, 4, [](int lane) { return lane % 4 * 16; }) == 4);  // neither
  CHECK(wavefronts(Type::f32, 4, [](int lane) { return lane / 2 * 64; }) == 8);  // one, with conflicts
  CHECK(wavefronts(
            Type::f32, 4, [](int lane) { return lane / 16 * 16; }, 1) == 1);
  CHECK(wavefronts(Type::f32, 4, [](int lane) { return lane * 64; }) == 16);
  CHECK(wavefronts(Type::f32, 4, stride(16), 0x01010000) == 2);
}

TEST_CASE("Global sectors of known patterns", "[emu][memory][count]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr global = lab.memory.allocate(1 << 16);
  const auto sectors = [&](Opcode opcode, Type type, int vector, int base, auto of_lane, std::uint32_t mask = ~0u) {
    const Counts counts =
        counted(lab, opcode, Space::global, type, vector, global + static_cast<unsigned>(base), of_lane, mask);
    CHECK(counts.global_requests == 1);
    const std::int64_t bytes = std::popcount(mask) * vector * ptx::bits(type) / 8;
    CHECK(counts.global_load_bytes == (opcode == Opcode::ld ? bytes : 0));
    CHECK(counts.global_store_bytes == (opcode == Opcode::st ? bytes : 0));
    CHECK(counts.shared_requests == 0);
    return counts.global_sectors;
  };
  const auto stride = [](int bytes) { return [bytes](int lane) { return bytes * lane; }; };
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, stride(4)) == 4);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 4, stride(4)) == 5);  // misaligned by a word
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, stride(0)) == 1);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, stride(32)) == 32);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, stride(1024)) == 32);
  CHECK(sectors(Opcode::st, Type::f32, 4, 0, stride(16)) == 16);
  CHECK(sectors(Opcode::st, Type::f32, 4, 16, stride(16)) == 17);
  CHECK(sectors(Opcode::st, Type::u8, 1, 0, stride(1)) == 1);
  CHECK(sectors(Opcode::st, Type::f64, 4, 0, stride(32)) == 32);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, [](int lane) { return 4 * (31 - lane); }) == 4);
  CHECK(sectors(
            Opcode::ld, Type::f32, 1, 0, [](int lane) { return lane % 4 * 256 + lane; }, 0x11111111) == 1);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, [](int lane) { return (lane * 5 % 8) * 32; }) == 8);
  CHECK(sectors(Opcode::ld, Type::f32, 1, 0, stride(4), 0x80000001) == 2);
}

TEST_CASE("Each space counts what went to it", "[emu][memory][count]") {
  MemoryLab lab(GENERATE(false, true));
  const DevicePtr global = lab.memory.allocate(4096);
  Counts counts = counted(lab, Opcode::st, Space::local, Type::f32, 2, 0, [](int) { return 8; });
  CHECK(counts.local_bytes == 256);
  CHECK(counts.shared_requests + counts.global_requests == 0);
  counts = counted(lab, Opcode::ld, Space::constant, Type::f32, 1, global, [](int) { return 0; });
  CHECK(counts == Counts{});
  counts = counted(lab, Opcode::ld, Space::param, Type::f32, 1, 0, [](int) { return 0; });
  CHECK(counts == Counts{});
  counts = counted(lab, Opcode::ld, Space::generic, Type::f32, 1, 0, [&](int lane) {
    const auto offset = static_cast<std::uint64_t>(4 * lane);
    return lane < 16 ? global + offset : lane < 24 ? kSharedWindow + offset : kLocalWindow + offset % 32;
  });
  CHECK(counts.global_requests == 1);
  CHECK(counts.global_sectors == 2);
  CHECK(counts.global_load_bytes == 64);
  CHECK(counts.shared_requests == 1);
  CHECK(counts.shared_wavefronts == 1);
  CHECK(counts.shared_load_bytes == 32);
  CHECK(counts.local_bytes == 32);
}

TEST_CASE("Writes to global memory are remembered in runs", "[emu][memory][count]") {
  const bool v3 = GENERATE(false, true), count = GENERATE(false, true);
  MemoryLab lab(v3);
  lab.launch.count = count;
  lab.launch.record_writes = true;
  const DevicePtr p = lab.memory.allocate(4096);
  const auto written = [&](Opcode opcode, Space space, int vector, std::uint32_t mask, auto of_lane) {
    lab.cta.written.clear();
    Place value;
    for (int j = 0; j < vector; ++j) value.slots.push_back(8 + j);
    const Place address =
        lab.address([&](int lane) { return (space == Space::shared ? 0 : p) + static_cast<unsigned>(of_lane(lane)); });
    const auto instruction = access(opcode, space, Type::f32, vector);
    if (opcode == Opcode::ld)
      lab.run(instruction, {value, address}, mask);
    else
      lab.run(instruction, {address, value}, mask);
    return lab.cta.written;
  };
  using Ranges = std::vector<AddressRange>;
  const auto side_by_side = [](int lane) { return 4 * lane; };
  CHECK(written(Opcode::st, Space::global, 1, ~0u, side_by_side) == Ranges{{p, p + 128}});
  CHECK(written(Opcode::st, Space::generic, 1, 0xff0000ff, side_by_side) == Ranges{{p, p + 32}, {p + 96, p + 128}});
  CHECK(written(Opcode::st, Space::global, 4, ~0u, [](int lane) { return lane / 16 * 1024 + lane % 16 * 16; }) ==
        Ranges{{p, p + 256}, {p + 1024, p + 1280}});
  CHECK(written(Opcode::st, Space::global, 1, 0x3, [](int) { return 12; }) == Ranges{{p + 12, p + 16}});
  CHECK(written(Opcode::st, Space::shared, 1, ~0u, side_by_side).empty());
  CHECK(written(Opcode::ld, Space::global, 1, ~0u, side_by_side).empty());
}

}  // namespace
}  // namespace kerlab::emu
