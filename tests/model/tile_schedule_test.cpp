// Tail effect of uneven blocks and of clusters that are not all resident: expectations by hand.

#include "model/tile_schedule.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo of_132_sms() {
  DeviceInfo device;
  device.sms = 132;
  return device;
}

/// Persistent blocks, one on an SM, whose clusters of `cluster` take `tiles` round robin: a tile is 100 FLOPs a block.
CountedWork round_robin(std::int64_t blocks, std::int64_t cluster, std::int64_t tiles) {
  const std::int64_t clusters = blocks / cluster;
  CountedWork work;
  work.blocks = work.blocks_run = blocks;
  work.cluster = cluster;
  work.counts.tensor_flops = tiles * cluster * 100;
  work.pipeline.blocks = blocks;
  work.pipeline.most_products = (tiles + clusters - 1) / clusters * 100;
  work.pipeline.least_products = tiles / clusters * 100;
  return work;
}

double tail(const CountedWork& work) {
  return tail_effect(of_132_sms(), work, TimeConstants{});
}

}  // namespace

TEST_CASE("tail effect: a persistent launch ends with the block that has most tiles", "[model]") {
  CHECK(tail(round_robin(132, 1, 132)) == 1);
  CHECK(tail(round_robin(132, 1, 176)) == Approx(2 / (176.0 / 132)));  // half as long again for 44 tiles
  CHECK(tail(round_robin(132, 1, 512)) == Approx(4 / (512.0 / 132)));
  CHECK(load_balance(round_robin(132, 1, 176)).with_most == Approx(44));
}

TEST_CASE("tail effect: the average block's work is that of all, where some were run", "[model]") {
  // 176 tiles again: four blocks were run, three of which have two tiles, and 4/3 are predicted of the average block.
  CountedWork work = round_robin(132, 1, 176);
  work.blocks_run = work.pipeline.blocks = 4;
  work.counts.tensor_flops = (3 * 2 + 1) * 100;
  work.weight = 176.0 / 132 / (7.0 / 4);
  CHECK(tail(work) == Approx(2 / (176.0 / 132)));
}

TEST_CASE("tail effect: clusters of four fit on 120 of 132 SMs, the others wait", "[model]") {
  CHECK(tail(round_robin(132, 2, 66 * 4)) == 1);
  CHECK(tail(round_robin(120, 4, 30 * 4)) == 1);
  // 33 clusters of four tiles each: 30 begin, and three begin when these have ended.
  CHECK(tail(round_robin(132, 4, 33 * 4)) == 2);
  // 128 tiles: 29 clusters have four, and four have three. One of these ends first, and the last ones have three.
  CHECK(tail(round_robin(132, 4, 128)) == Approx((3 + 3) / (128.0 / 33)));
  // 64 tiles: 31 have two; all that begin have two, and so has the first of those that wait.
  CHECK(tail(round_robin(132, 4, 64)) == Approx((2 + 2) / (64.0 / 33)));
  // Two blocks on an SM: there is room for all.
  CountedWork small = round_robin(132, 4, 33 * 4);
  small.blocks_per_sm = 2;
  CHECK(tail(small) == 1);
}

TEST_CASE("tail effect: many waves of clusters take a tenth longer, other blocks do not", "[model]") {
  CHECK(tail(round_robin(132 * 8, 4, 132 * 2)) == Approx(1.1));
  CHECK(tail(round_robin(132 * 8, 1, 132 * 8)) == 1);
  CountedWork nothing;
  nothing.blocks = 10;
  CHECK(tail(nothing) == 1);
}
