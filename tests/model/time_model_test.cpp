#include "model/time_model.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo hopper() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.clock_mhz = 1980;
  device.fp64_ratio = 0.5;
  return device;
}

constexpr Ceilings kNoMemory{0, 989e12, "", ""};

/// `blocks` blocks of 256 threads, of which one was run: `fma` warp instructions each, everything independent.
CountedWork arithmetic(std::int64_t blocks, std::int64_t fma, int blocks_per_sm = 2) {
  CountedWork work{256, blocks, 1, blocks_per_sm, {}};
  work.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] = fma;
  return work;
}

double us(const CountedWork& work, double dram_bytes = 0, Ceilings ceilings = kNoMemory) {
  return model_launch(hopper(), ceilings, work, dram_bytes).us;
}

}  // namespace

TEST_CASE("time model: a full device of multiply-adds runs at the peak of its FMA units", "[model]") {
  const std::int64_t blocks = 132 * 2 * 10, fma = 1'000'000;
  const double flops = static_cast<double>(blocks * fma * 32 * 2);
  const double achieved = flops / us(arithmetic(blocks, fma)) * 1e6;
  CHECK(achieved == Approx(132 * 128 * 2 * 1.98e9).epsilon(0.02));
}

TEST_CASE("time model: one block too many costs another wave", "[model]") {
  const double full = us(arithmetic(132 * 2, 1'000'000)), more = us(arithmetic(132 * 2 + 1, 1'000'000));
  CHECK(more > 1.4 * full);
  CHECK(us(arithmetic(132 * 3, 1'000'000)) == Approx(more).epsilon(0.01));
}

TEST_CASE("time model: a block alone on its SM is bound by latency", "[model]") {
  const ModelledTime together = model_launch(hopper(), kNoMemory, arithmetic(264, 80'000), 0);
  CountedWork one_warp = arithmetic(132, 10'000, 1);
  one_warp.threads = 32;
  CHECK(model_launch(hopper(), kNoMemory, one_warp, 0).limiter == "latency");
  CHECK(together.limiter == "fp32 pipe");
}

TEST_CASE("time model: DRAM and L2 traffic bound what has little arithmetic", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", ""};
  CHECK(us(arithmetic(1000, 10), 4.8e9, memory) == Approx(1000 + 2).epsilon(0.01));
  CountedWork traffic = arithmetic(1000, 10);
  traffic.counts.global_sectors = 1'000'000;
  const ModelledTime time = model_launch(hopper(), memory, traffic, 1);
  CHECK(time.limiter == "L2");
  CHECK(time.us == Approx(32e9 / (1.6 * 4.8e12) * 1e6 + 2).epsilon(0.01));
}

TEST_CASE("time model: shared-memory conflicts cost what they serialise", "[model]") {
  CountedWork clean = arithmetic(132 * 20, 1'000), conflicts = clean;
  clean.counts.shared_wavefronts = 100'000;
  conflicts.counts.shared_wavefronts = 800'000;
  CHECK(us(conflicts) == Approx(8 * us(clean)).epsilon(0.05));
  CHECK(model_launch(hopper(), kNoMemory, conflicts, 0).limiter == "shared memory");
}

TEST_CASE("time model: the number of blocks that were executed does not matter", "[model]") {
  CountedWork one = arithmetic(1024, 5'000), six = one;
  six.blocks_run = 6;
  six.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] *= 6;
  CHECK(us(one) == Approx(us(six)));
}

TEST_CASE("time model: nothing executed is a launch, not a division by zero", "[model]") {
  CHECK(model_launch(hopper(), kNoMemory, {256, 0, 0, 1, {}}, 0).us == Approx(2));
}
