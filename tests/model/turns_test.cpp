// Blocks of unlike work and clusters without room: by hand.

#include "model/turns.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo of_132_sms() {
  DeviceInfo device;
  device.sms = 132;
  return device;
}

/// Persistent blocks, one on an SM, by which clusters of `cluster` take `tiles` in turn: a tile is 100 FLOPs of each.
CountedWork in_turn(std::int64_t blocks, std::int64_t cluster, std::int64_t tiles) {
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

double turns(const CountedWork& work) {
  return longest_turns(of_132_sms(), work, TimeConstants{});
}

}  // namespace

TEST_CASE("turns: persistent blocks end with the one that has most tiles", "[model]") {
  CHECK(turns(in_turn(132, 1, 132)) == 1);
  CHECK(turns(in_turn(132, 1, 176)) == Approx(2 / (176.0 / 132)));  // half as long again for 44 tiles
  CHECK(turns(in_turn(132, 1, 512)) == Approx(4 / (512.0 / 132)));
  CHECK(work_shares(in_turn(132, 1, 176)).with_most == Approx(44));
}

TEST_CASE("turns: the average block's work is that of all, where some were run", "[model]") {
  // 176 tiles again: four blocks were run, three of which have two tiles, and 4/3 are predicted of the average block.
  CountedWork work = in_turn(132, 1, 176);
  work.blocks_run = work.pipeline.blocks = 4;
  work.counts.tensor_flops = (3 * 2 + 1) * 100;
  work.weight = 176.0 / 132 / (7.0 / 4);
  CHECK(turns(work) == Approx(2 / (176.0 / 132)));
}

TEST_CASE("turns: clusters of four find 120 of 132 SMs, and the last ones wait", "[model]") {
  CHECK(turns(in_turn(132, 2, 66 * 4)) == 1);
  CHECK(turns(in_turn(120, 4, 30 * 4)) == 1);
  // 33 clusters of four tiles each: 30 begin, and three begin when these have ended.
  CHECK(turns(in_turn(132, 4, 33 * 4)) == 2);
  // 128 tiles: 29 clusters have four, and four have three. One of these ends first, and the last ones have three.
  CHECK(turns(in_turn(132, 4, 128)) == Approx((3 + 3) / (128.0 / 33)));
  // 64 tiles: 31 have two; all that begin have two, and so has the first of those that wait.
  CHECK(turns(in_turn(132, 4, 64)) == Approx((2 + 2) / (64.0 / 33)));
  // Two blocks on an SM: there is room for all.
  CountedWork small = in_turn(132, 4, 33 * 4);
  small.blocks_per_sm = 2;
  CHECK(turns(small) == 1);
}

TEST_CASE("turns: many waves of clusters take a tenth longer, other blocks do not", "[model]") {
  CHECK(turns(in_turn(132 * 8, 4, 132 * 2)) == Approx(1.1));
  CHECK(turns(in_turn(132 * 8, 1, 132 * 8)) == 1);
  CountedWork nothing;
  nothing.blocks = 10;
  CHECK(turns(nothing) == 1);
}
