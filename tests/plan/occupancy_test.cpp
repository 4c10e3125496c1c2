#include "plan/occupancy.h"
#include "catch.h"

using namespace kerlab;

namespace {
DeviceInfo h200() {
  DeviceInfo device;
  device.cc_major = 9;
  device.shared_per_block = 232448;
  device.shared_per_sm = 233472;
  device.shared_reserved = 1024;
  device.registers_per_block = device.registers_per_sm = 65536;
  device.threads_per_block = 1024;
  device.threads_per_sm = 2048;
  device.blocks_per_sm = 32;
  return device;
}

void check(const Occupancy& found, int blocks, double fraction, const char* limiter) {
  CHECK(found.blocks == blocks);
  CHECK(found.fraction == Approx(fraction));
  CHECK(found.limiter == limiter);
}
}  // namespace

TEST_CASE("occupancy: registers limit, in units of 256 a warp", "[plan]") {
  check(occupancy(h200(), 128, 168, 0), 3, 0.1875, "registers");
  check(occupancy(h200(), 128, 255, 0), 2, 0.125, "registers");
  check(occupancy(h200(), 256, 64, 0), 4, 0.5, "registers");
  check(occupancy(h200(), 256, 65, 0), 3, 0.375, "registers");  // 65 x 32 rounds up to 2304
  check(occupancy(h200(), 384, 168, 0), 1, 0.1875, "registers");
  check(occupancy(h200(), 1024, 64, 0), 1, 0.5, "registers");
  // 5 warps of 84 registers: 6 warps fit a quarter of the file, 24 the SM, and so 4 blocks.
  check(occupancy(h200(), 160, 84, 0), 4, 4 * 5 / 64.0, "registers");
}

TEST_CASE("occupancy: shared memory limits, with what the system reserves", "[plan]") {
  check(occupancy(h200(), 128, 32, 100 * 1024), 2, 0.125, "shared memory");
  check(occupancy(h200(), 128, 32, 232448), 1, 0.0625, "shared memory");
  check(occupancy(h200(), 128, 32, 113 * 1024), 2, 0.125, "shared memory");       // 2 x 114 KiB = 228 KiB
  check(occupancy(h200(), 128, 32, 113 * 1024 + 1), 1, 0.0625, "shared memory");  // one unit of 128 bytes too many
}

TEST_CASE("occupancy: threads and blocks limit small kernels", "[plan]") {
  check(occupancy(h200(), 1024, 32, 0), 2, 1.0, "registers");  // both say 2; registers are named first
  check(occupancy(h200(), 1024, 16, 0), 2, 1.0, "threads");
  check(occupancy(h200(), 32, 16, 0), 32, 0.5, "blocks");
  check(occupancy(h200(), 33, 16, 0), 32, 1.0, "threads");  // 33 threads take two warps
}

TEST_CASE("occupancy: an impossible launch has none, and says why", "[plan]") {
  check(occupancy(h200(), 1024, 65, 0), 0, 0, "registers");
  check(occupancy(h200(), 128, 32, 232449), 0, 0, "shared memory");
  check(occupancy(h200(), 1025, 16, 0), 0, 0, "threads");
  check(occupancy(h200(), 0, 16, 0), 0, 0, "threads");
}

TEST_CASE("occupancy: a device that does not say its limits gives none", "[plan]") {
  check(occupancy(DeviceInfo{}, 128, 32, 0), 0, 0, "unknown");
}
