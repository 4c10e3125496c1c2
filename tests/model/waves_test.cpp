// Waves and tails against arithmetic by hand.
#include "model/waves.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.sms = 132;
  device.cc_major = 9;
  device.clock_mhz = 1980;
  device.l2_bytes = 62914560;
  device.shared_per_sm = 233472;
  return device;
}

const Ceilings kFp32 = {4.8e12, 66.9e12, "FMA", {}, false};

/// Blocks that multiply and add and do nothing else.
CountedWork arithmetic(std::int64_t blocks, int blocks_per_sm) {
  CountedWork work;
  work.threads = 256;
  work.blocks = blocks;
  work.blocks_run = 1;
  work.blocks_per_sm = blocks_per_sm;
  work.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] = 400000;
  return work;
}

double us(const CountedWork& work) {
  return model_launch(h200(), kFp32, work).us - TimeConstants{}.launch_us;
}

}  // namespace

TEST_CASE("waves: full, partly full, exactly one block too many", "[model]") {
  // 4096^3 in tiles of 128x256: 512 over 132: three full waves and 116 of a fourth; 512 / 528 = 97 %.
  const WaveFill square = wave_fill(512, 132);
  CHECK(square.waves == 4);
  CHECK(square.last == 116);
  CHECK(square.efficiency == Approx(512.0 / 528));
  // One block beyond a full wave: a second wave of one, half of all places empty.
  const WaveFill one_more = wave_fill(133, 132);
  CHECK(one_more.waves == 2);
  CHECK(one_more.last == 1);
  CHECK(one_more.efficiency == Approx(133.0 / 264));
  const WaveFill exact = wave_fill(264, 132);
  CHECK(exact.waves == 2);
  CHECK(exact.last == 132);
  CHECK(exact.efficiency == 1);
  // softmax 65 x 1000, a block a row, 8 an SM: 65 of 1056 places.
  CHECK(wave_fill(65, 8 * 132).waves == 1);
  CHECK(wave_fill(65, 8 * 132).last == 65);
  CHECK(wave_fill(0, 132).waves == 0);
  CHECK(wave_fill(5, 0).waves == 0);
}

TEST_CASE("waves: blocks of an SM", "[model]") {
  const SmShare tiles = share_of_sms(512, 132);  // 3 x 132 = 396, and 116 more
  CHECK(tiles.most == 4);
  CHECK(tiles.least == 3);
  CHECK(tiles.with_most == 116);
  CHECK(tiles.idle == 0);
  const SmShare rows = share_of_sms(65, 132);
  CHECK(rows.most == 1);
  CHECK(rows.idle == 67);
  const SmShare even = share_of_sms(264, 132);
  CHECK(even.most == 2);
  CHECK(even.with_most == 132);
}

TEST_CASE("waves: the tail of one block costs nearly a whole wave", "[model]") {
  const double wave = us(arithmetic(132, 1));
  // Two waves are begun; 133 blocks in full ones would take 133 / 132 of one.
  CHECK(us(arithmetic(133, 1)) == Approx(2 * wave));
  CHECK(modelled_tail_us(h200(), kFp32, arithmetic(133, 1)) == Approx((2 - 133.0 / 132) * wave));
  CHECK(modelled_tail_us(h200(), kFp32, arithmetic(264, 1)) == Approx(0).margin(1e-9));
  CHECK(modelled_tail_us(h200(), kFp32, arithmetic(131, 1)) == 0);  // one wave: no tail
  // Two an SM: 265 blocks are a full wave of 264 and one more, which has its SM for itself: less than a wave.
  const double pair = us(arithmetic(264, 2)), tail = modelled_tail_us(h200(), kFp32, arithmetic(265, 2));
  CHECK(tail > 0.4 * pair);
  CHECK(tail < pair);
}

TEST_CASE("waves: persistent blocks have tiles", "[model]") {
  LaunchInspection launch;
  launch.work = arithmetic(132, 1);
  launch.occupancy.blocks = 1;
  launch.time.us = 202.7;
  const LaunchWaves stays = launch_waves(launch, h200(), kFp32, 512);
  CHECK(stays.stays);
  CHECK(stays.fill().waves == 4);
  CHECK(stays.fill().last == 116);
  CHECK(stays.tail_us == Approx(200 * 16.0 / 528));  // 16 of 528 places are empty, of what is not the launch itself
  const LaunchWaves unknown = launch_waves(launch, h200(), kFp32, -1);
  CHECK(unknown.stays);
  CHECK(unknown.tiles.items == 0);
  CHECK(unknown.fill().items == 132);
  CHECK_FALSE(launch_waves(launch, h200(), kFp32, 0).stays);
}
