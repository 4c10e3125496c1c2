#include "catch.h"
#include "device/emu/memory_lab.h"

namespace kerlab::emu {
namespace {

using ptx::Opcode;
using ptx::Space;
using ptx::Type;

/// cp.async from global memory to shared memory, and its groups.
struct CopyLab : MemoryLab {
  explicit CopyLab(bool use_v3) : MemoryLab(use_v3), source(memory.allocate(4096)) {
    for (int i = 0; i < 4096; ++i) memory.at(source, 4096)[i] = static_cast<std::byte>(200 - i % 151);
    std::fill(shared.begin(), shared.end(), std::byte{0xee});
    issued.opcode = Opcode::cp_async;
    issued.text = "cp.async";
    issued.operands.resize(4);
    commit.opcode = Opcode::cp_async_commit_group;
    wait.opcode = Opcode::cp_async_wait_group;
    all.opcode = Opcode::cp_async_wait_all;
  }

  /// Lane l: `bytes` from source + at + l * bytes to shared offset to + l * bytes.
  void copy(int bytes, int at, int to, std::uint32_t mask = ~0u, int size_slot = -1, int size_width = 32) {
    issued.modifiers.copy_bytes = static_cast<std::uint8_t>(bytes);
    issued.operands[0].offset = 16;
    issued.operands[1].offset = -32;
    const Place target = address([&](int lane) { return static_cast<std::uint64_t>(to + lane * bytes - 16); }, 0);
    const Place from = address([&](int lane) { return source + static_cast<unsigned>(at + lane * bytes) + 32; }, 2);
    std::vector<Place> operands = {target, from, {{60}, 32}};
    if (size_slot >= 0) operands.push_back({{size_slot}, size_width});
    run(issued, operands, mask, -32);
  }
  void commit_group(std::uint32_t mask = ~0u) { run(commit, {}, mask); }
  void wait_group(std::uint32_t allowed, std::uint32_t mask = ~0u) {
    for (int lane = 0; lane < kLanes; ++lane) r32(61, lane) = allowed;
    run(wait, {{{61}, 32}}, mask);
  }
  void wait_all(std::uint32_t mask = ~0u) { run(all, {}, mask); }
  [[nodiscard]] bool arrived(int bytes, int at, int to, int lane) const {
    return std::memcmp(shared.data() + to + lane * bytes, memory.at(source, 4096) + at + lane * bytes,
                       static_cast<std::size_t>(bytes)) == 0;
  }
  [[nodiscard]] bool untouched(int bytes, int to, int lane) const {
    for (int i = 0; i < bytes; ++i)
      if (shared[static_cast<std::size_t>(to + lane * bytes + i)] != std::byte{0xee}) return false;
    return true;
  }

  DevicePtr source;
  ptx::Instruction issued, commit, wait, all;
};

TEST_CASE("cp.async arrives when it is waited for and not before", "[emu][async_copy]") {
  const bool v3 = GENERATE(false, true);
  const int bytes = GENERATE(4, 8, 16);
  CopyLab lab(v3);
  lab.copy(bytes, 64, 512);
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.untouched(bytes, 512, lane));
  lab.wait_group(0);  // the copy belongs to no group yet
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.untouched(bytes, 512, lane));
  lab.commit_group();
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.untouched(bytes, 512, lane));
  lab.wait_group(0);
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.arrived(bytes, 64, 512, lane));
  CHECK(lab.async.pending.empty());
}

TEST_CASE("A wait count that is off by one leaves the old contents", "[emu][async_copy]") {
  CopyLab lab(GENERATE(false, true));
  for (int stage = 0; stage < 3; ++stage) {
    lab.copy(16, 512 * stage, 512 * stage);
    lab.commit_group();
  }
  lab.wait_group(3);
  CHECK(lab.untouched(16, 0, 0));
  lab.wait_group(2);
  CHECK(lab.arrived(16, 0, 0, 31));
  CHECK(lab.untouched(16, 512, 0));
  lab.wait_group(1);
  CHECK(lab.arrived(16, 512, 512, 7));
  CHECK(lab.untouched(16, 1024, 0));
  lab.copy(16, 1536, 1536);
  lab.wait_all();  // also what has not been committed
  CHECK(lab.arrived(16, 1024, 1024, 0));
  CHECK(lab.arrived(16, 1536, 1536, 31));
}

TEST_CASE("The source is read when the copy is forced", "[emu][async_copy]") {
  CopyLab lab(GENERATE(false, true));
  lab.copy(4, 0, 0);
  lab.memory.at(lab.source, 4)[1] = std::byte{0x77};
  lab.wait_all();
  CHECK(lab.shared[1] == std::byte{0x77});
}

TEST_CASE("Lanes have groups of their own", "[emu][async_copy]") {
  CopyLab lab(GENERATE(false, true));
  lab.copy(8, 0, 0, 0x0000ffff);
  lab.commit_group(0x0000ffff);
  lab.copy(8, 0, 0, 0xffff0000);
  lab.commit_group();  // the lower lanes' second group is empty
  lab.wait_group(1);
  CHECK(lab.arrived(8, 0, 0, 15));
  CHECK(lab.untouched(8, 0, 16));
  lab.wait_group(0, 0xff000000);
  CHECK(lab.untouched(8, 0, 23));
  CHECK(lab.arrived(8, 0, 0, 24));
  lab.wait_group(0);
  CHECK(lab.arrived(8, 0, 0, 23));
  CHECK(lab.async.pending.empty());
}

TEST_CASE("Copies of a lane happen in order; the last one stays", "[emu][async_copy]") {
  CopyLab lab(GENERATE(false, true));
  lab.copy(4, 0, 0);
  lab.copy(4, 256, 0);
  lab.commit_group();
  lab.wait_group(0);
  for (int lane = 0; lane < kLanes; ++lane) CHECK(lab.arrived(4, 256, 0, lane) == true);
}

TEST_CASE("src-size fills with zeros, ignore-src with nothing but zeros", "[emu][async_copy]") {
  const bool v3 = GENERATE(false, true), count = GENERATE(false, true);
  CopyLab lab(v3);
  lab.launch.count = count;
  for (int lane = 0; lane < kLanes; ++lane) lab.r32(50, lane) = static_cast<std::uint32_t>(lane % 17);
  lab.copy(16, 128, 0, ~0u, 50);
  lab.wait_all();
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 16; ++i) {
      const auto want = i < lane % 17 ? lab.memory.at(lab.source, 4096)[128 + lane * 16 + i] : std::byte{0};
      CHECK(lab.shared[static_cast<std::size_t>(lane * 16 + i)] == want);
    }
  if (count) {
    CHECK(lab.cta.counts.global_load_bytes == 16 * 17 / 2 + 14 * 15 / 2);
    CHECK(lab.cta.counts.shared_store_bytes == 512);
    CHECK(lab.cta.counts.global_requests == 1);
    CHECK(lab.cta.counts.global_sectors == 16);
    CHECK(lab.cta.counts.shared_wavefronts == 4);
  }
  lab.predicates[3] = 0x0f0f0f0f;
  lab.copy(4, 128, 1024, ~0u, 3, 1);
  lab.wait_all();
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool ignored = lane % 8 < 4;
    CHECK(lab.arrived(4, 128, 1024, lane) != ignored);
    if (ignored) CHECK(lab.shared[static_cast<std::size_t>(1024 + lane * 4)] == std::byte{0});
  }
}

TEST_CASE("cp.async faults where it stands", "[emu][async_copy]") {
  CopyLab lab(GENERATE(false, true));
  CHECK_THROWS_WITH(lab.copy(16, 4096 - 256, 0),
                    Catch::Contains("reads outside every allocation") && Catch::Contains("lane 16"));
  CHECK_THROWS_WITH(lab.copy(16, 0, 4096 - 128),
                    Catch::Contains("writes outside the block's 4096 bytes") && Catch::Contains("lane 8"));
  CHECK_THROWS_WITH(lab.copy(16, 8, 0), Catch::Contains("no multiple of 16"));
  CHECK_THROWS_WITH(lab.copy(8, 0, 4), Catch::Contains("no multiple of 8"));
  // Lanes that take nothing may point anywhere.
  for (int lane = 0; lane < kLanes; ++lane) lab.r32(50, lane) = lane < 16 ? 16 : 0;
  lab.copy(16, 4096 - 256, 0, ~0u, 50);
}

TEST_CASE("A new block starts without copies", "[emu][async_copy]") {
  CopyLab lab(false);
  lab.copy(4, 0, 0);
  lab.commit_group();
  lab.async.reset();
  lab.wait_all();
  CHECK(lab.untouched(4, 0, 0));
}

}  // namespace
}  // namespace kerlab::emu
