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

TEST_CASE("occupancy: a carve-out leaves the smallest capacity that holds it and a block", "[plan]") {
  CHECK(carved_shared(h200(), 0, 0) == 0);
  CHECK(carved_shared(h200(), 0, 1024) == 8 * 1024);
  CHECK(carved_shared(h200(), 50, 1024) == 132 * 1024);       // 114 KiB are asked for
  CHECK(carved_shared(h200(), 25, 90 * 1024) == 100 * 1024);  // the block needs more than the 57 KiB asked for
  CHECK(carved_shared(h200(), 100, 0) == 228 * 1024);
  DeviceInfo a100 = h200();
  a100.cc_major = 8;
  a100.shared_per_sm = 164 * 1024;
  CHECK(carved_shared(a100, 81, 0) == 164 * 1024);
  CHECK(carved_shared(a100, 80, 0) == 132 * 1024);
  CHECK(occupancy(h200(), 128, 32, 0).blocks == 16);
  CHECK(occupancy(h200(), 128, 32, 0, 0).blocks == 8);  // of 8 KiB the system takes one for each block
  CHECK(occupancy(h200(), 128, 32, 0, 0).limiter == "shared memory");
  CHECK(occupancy(h200(), 128, 32, 40 * 1024, 50).blocks == 3);
  CHECK(occupancy(h200(), 128, 32, 40 * 1024, 100).blocks == 5);
}

TEST_CASE("device: clusters at once, of sizes between as of the next larger one", "[plan]") {
  DeviceInfo device = h200();
  device.sms = 132;
  CHECK(device.clusters_at_once(4) == 0);  // nobody has asked
  device.max_active_clusters = {132, 66, 30, 15, 7};
  CHECK(device.clusters_at_once(1) == 132);
  CHECK(device.clusters_at_once(3) == 30);
  CHECK(device.clusters_at_once(4) == 30);
  CHECK(device.clusters_at_once(16) == 7);
  CHECK(device.clusters_at_once(17) == 0);
  CHECK(device.with_sms(132) == device);
  CHECK(device.with_sms(9).max_active_clusters == ActiveClusters{9, 4, 2, 1, 0});
  device.cc_major = 8;
  CHECK(device.with_sms(9).max_active_clusters == ActiveClusters{});
}
