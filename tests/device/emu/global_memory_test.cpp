#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "catch.h"
#include "device/emu/memory.h"
#include "sanitized.h"

namespace kerlab::emu {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// Whether the host may touch the page, from the kernel's own list.
bool readable(std::uint64_t address) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  REQUIRE(maps != nullptr);
  char line[512];
  bool answer = false;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long begin = 0, end = 0;
    char access = '-';
    if (std::sscanf(line, "%llx-%llx %c", &begin, &end, &access) == 3 && address >= begin && address < end)
      answer = access == 'r';
  }
  std::fclose(maps);
  return answer;
}

FaultKind kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceFault& fault) {
    CHECK_FALSE(fault.sticky());
    return fault.kind();
  }
  return FaultKind::other;
}

TEST_CASE("Emulated memory is zero, aligned, writable", "[emu][global_memory]") {
  GlobalMemory memory(64 * kMiB);
  for (const std::size_t bytes : {1, 255, 4096, 5000, 1 << 20}) {
    const DevicePtr p = memory.allocate(bytes);
    CHECK(p % 256 == 0);
    auto* data = memory.at(p, bytes);
    CHECK(std::vector<std::byte>(data, data + bytes) == std::vector<std::byte>(bytes));
    std::memset(data, 0x5a, bytes);
    CHECK(memory.at(p + bytes - 1, 1) == data + bytes - 1);
  }
}

TEST_CASE("Unreadable pages lie between allocations", "[emu][global_memory]") {
  GlobalMemory memory(64 * kMiB);
  const DevicePtr a = memory.allocate(5000), b = memory.allocate(100);
  CHECK(readable(a));
  CHECK(readable(a + 4999));
  const std::uint64_t after = (a + 5000 + 4095) / 4096 * 4096;
  CHECK(b >= after + (64 << 10));
  for (std::uint64_t p = after; p < b; p += 4096) CHECK_FALSE(readable(p));
  for (std::uint64_t p = a - (64 << 10); p < a; p += 4096) CHECK_FALSE(readable(p));
  CHECK(readable(b));
}

TEST_CASE("The limit of the emulated device holds, and released memory counts no more", "[emu][global_memory]") {
  GlobalMemory memory(4 * kMiB);
  CHECK(memory.free_bytes() == 4 * kMiB);
  const DevicePtr a = memory.allocate(3 * kMiB);
  CHECK(memory.free_bytes() == kMiB);
  CHECK(kind_of([&] { memory.allocate(kMiB + 1); }) == FaultKind::out_of_memory);
  CHECK(kind_of([&] { memory.allocate(~std::size_t{0}); }) == FaultKind::out_of_memory);
  const DevicePtr b = memory.allocate(kMiB);
  CHECK(memory.free_bytes() == 0);
  memory.release(a);
  CHECK(memory.free_bytes() == 3 * kMiB);
  CHECK_FALSE(readable(a));
  memory.release(a);  // twice does no harm
  memory.release(12345);
  CHECK(memory.free_bytes() == 3 * kMiB);
  memory.release(b);
  CHECK_THROWS_WITH(memory.allocate(5 * kMiB), Catch::Contains("5242880 bytes") && Catch::Contains("4194304 of"));
}

TEST_CASE("Of what is sparse only what is written takes memory of the host", "[emu][global_memory]") {
  if (left_to_sanitizer()) return;
  GlobalMemory memory(std::int64_t{1} << 44);
  constexpr std::size_t kBytes = std::size_t{1} << 43;  // 8 TiB
  const DevicePtr begin = memory.allocate(kBytes);
  for (const DevicePtr at : {begin, begin + kBytes - 8}) {
    std::memset(memory.at(at, 8), 1, 8);
    CHECK(memory.at(at, 8)[7] == std::byte{1});
  }
  CHECK_THROWS_WITH(memory.allocate(kBytes + 1), Catch::Contains("out of memory"));
}

TEST_CASE("Addresses are not used again soon, and memory that comes back is zero", "[emu][global_memory]") {
  GlobalMemory memory(16 * kMiB);
  const DevicePtr first = memory.allocate(8 * kMiB);
  std::memset(memory.at(first, 8), 1, 8);
  memory.release(first);
  int until_back = 0;
  for (DevicePtr p = 0; p != first; ++until_back) {
    p = memory.allocate(8 * kMiB);
    if (p == first) CHECK(*memory.at(p, 1) == std::byte{0});
    memory.release(p);
    REQUIRE(until_back < 100000);
  }
  CHECK(until_back > 1000);
}

TEST_CASE("Addresses repeat from one device to the next", "[emu][global_memory]") {
  const auto addresses = [] {
    GlobalMemory memory(kMiB);
    const DevicePtr a = memory.allocate(100), b = memory.allocate(100);
    return std::vector{a, b};
  };
  CHECK(addresses() == addresses());
}

TEST_CASE("An address finds its allocation and the one before", "[emu][global_memory]") {
  GlobalMemory memory(kMiB);
  const DevicePtr a = memory.allocate(1000), b = memory.allocate(1000);
  CHECK(memory.find(a) == AddressRange{a, a + 1000});
  CHECK(memory.find(a + 999) == AddressRange{a, a + 1000});
  CHECK_FALSE(memory.find(a + 1000));
  CHECK_FALSE(memory.find(a - 1));
  CHECK_FALSE(memory.find(0));
  CHECK(memory.find(b) == AddressRange{b, b + 1000});
  CHECK(memory.before(a + 1000) == AddressRange{a, a + 1000});
  CHECK(memory.before(b + 5) == AddressRange{a, a + 1000});
  CHECK(memory.before(~0ull) == AddressRange{b, b + 1000});
  CHECK_FALSE(memory.before(a + 999));
  CHECK(kind_of([&] { (void)memory.at(a + 999, 2); }) == FaultKind::illegal_address);
  CHECK(kind_of([&] { (void)memory.at(8, 1); }) == FaultKind::illegal_address);
}

}  // namespace
}  // namespace kerlab::emu
