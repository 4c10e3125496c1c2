#include "model/time_model.h"

#include "catch.h"
#include "report/modelled_remark.h"

using namespace kerlab;

namespace {

DeviceInfo hopper() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.clock_mhz = 1980;
  device.fp64_ratio = 0.5;
  device.l2_bytes = 60 << 20;
  return device;
}

constexpr Ceilings kNoMemory{0, 989e12, "", ""};

/// `blocks` blocks of 256 threads, of which one was run: `fma` warp instructions each, everything independent.
CountedWork arithmetic(std::int64_t blocks, std::int64_t fma, int blocks_per_sm = 2) {
  CountedWork work{256, blocks, 1, blocks_per_sm, {}, {{fma, 1, 0, -1}}};
  work.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] = fma;
  return work;
}

/// Blocks whose every warp loads something 1000 times, waits for it, and multiplies for some 400 cycles.
CountedWork fetching(int blocks_per_sm) {
  CountedWork work = arithmetic(132 * 8, 8 * 1000 * 150, blocks_per_sm);
  work.stretches = {{8 * 1000, 2, latency::kGlobal, -1}, {8 * 1000, 148, 0, -1}};
  return work;
}

ModelledTime model(const CountedWork& work, double dram_bytes = 0, Ceilings ceilings = kNoMemory) {
  return model_launch(hopper(), ceilings, work, dram_bytes);
}

double us(const CountedWork& work, double dram_bytes = 0, Ceilings ceilings = kNoMemory) {
  return model(work, dram_bytes, ceilings).us;
}

}  // namespace

TEST_CASE("time model: multiply-adds run as fast as the schedulers issue them, 80 % of the peak", "[model]") {
  const std::int64_t blocks = 132 * 2 * 10, fma = 1'000'000;
  const double flops = static_cast<double>(blocks * fma * 32 * 2);
  const double achieved = flops / us(arithmetic(blocks, fma)) * 1e6;
  CHECK(achieved == Approx(0.79 * 132 * 128 * 2 * 1.98e9).epsilon(0.02));
  CHECK(model(arithmetic(blocks, fma)).limiter == "fp32 pipe");
}

TEST_CASE("time model: one block too many costs another wave", "[model]") {
  const double full = us(arithmetic(132 * 2, 1'000'000)), more = us(arithmetic(132 * 2 + 1, 1'000'000));
  CHECK(more > 1.4 * full);
  CHECK(us(arithmetic(132 * 3, 1'000'000)) == Approx(more).epsilon(0.01));
}

TEST_CASE("time model: resident blocks cover each other's waits", "[model]") {
  CHECK(model(fetching(1)).limiter == "latency");
  CHECK(model(fetching(8)).limiter == "fp32 pipe");
  // Alone, a block waits 800 cycles for each 380 or so of work; of eight, seven work meanwhile.
  CHECK(us(fetching(1)) > 2 * us(fetching(8)));
  CHECK(us(fetching(2)) < us(fetching(1)));
  CHECK(us(fetching(2)) > us(fetching(8)));
}

TEST_CASE("time model: a warp alone on its scheduler is slower than its share", "[model]") {
  CountedWork one_warp = arithmetic(132, 10'000, 1), four = arithmetic(132, 40'000, 1);
  one_warp.threads = 32;
  four.threads = 128;
  CHECK(us(one_warp) == Approx(us(four)));
  CHECK(us(four) > 1.1 * (us(arithmetic(132, 40'000, 1))));
}

TEST_CASE("time model: a copy is waited for where little stands between it and the wait", "[model]") {
  CountedWork near = arithmetic(132 * 8, 8 * 1000 * 150, 1), far = near, elsewhere = near;
  near.stretches = {{8 * 1000, 150, 0, 10}};
  far.stretches = {{8 * 1000, 150, 0, 140}};
  elsewhere.stretches = {{8 * 1000, 150, 0, -1}};
  CHECK(us(near) > us(far));
  CHECK(us(far) > us(elsewhere));
}

TEST_CASE("time model: loops beyond the instruction cache wait for code", "[model]") {
  CountedWork small = arithmetic(132 * 8, 8 * 1'000'000), large = small;
  small.stretches = {{8 * 1000, 1000, 0, -1}};
  large.stretches = {{8 * 250, 4000, 0, -1}};
  CHECK(us(large) > 1.05 * us(small));
}

TEST_CASE("time model: DRAM traffic bounds what has little arithmetic", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", ""};
  const ModelledTime time = model(arithmetic(132 * 8, 10), 4.8e9, memory);
  CHECK(time.us == Approx(1000 / 0.97 + 2.5).epsilon(0.02));
  CHECK(time.limiter == "DRAM");
}

TEST_CASE("time model: what L2 does not hold comes from DRAM every time", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", ""};
  CountedWork rows = arithmetic(132 * 64, 10, 4);
  rows.counts.global_sectors = 3 * 64 * 1024 / 32;  // rows of 64 KiB, touched three times
  const double bytes = 132.0 * 64 * 64 * 1024;
  const double few = us(rows, bytes, memory);  // 132 * 4 rows at once: 33 MiB
  rows.blocks_per_sm = 32;                     // 264 MiB
  CHECK(us(rows, bytes, memory) > 2 * few);
}

TEST_CASE("time model: shared-memory conflicts cost what they serialise", "[model]") {
  CountedWork clean = arithmetic(132 * 20, 1'000), conflicts = clean;
  clean.counts.shared_wavefronts = 100'000;
  conflicts.counts.shared_wavefronts = 800'000;
  CHECK(us(conflicts) == Approx(8 * us(clean)).epsilon(0.05));
  CHECK(model(conflicts).limiter == "shared memory");
}

TEST_CASE("time model: the number of blocks that were executed does not matter", "[model]") {
  CountedWork one = arithmetic(1024, 5'000), six = one;
  six.blocks_run = 6;
  six.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] *= 6;
  six.stretches.front().executions *= 6;
  CHECK(us(one) == Approx(us(six)));
}

TEST_CASE("time model: nothing executed is a launch, not a division by zero", "[model]") {
  CHECK(model_launch(hopper(), kNoMemory, {256, 0, 0, 1, {}, {}}, 0).us == Approx(2.5));
}

TEST_CASE("modelled times say how far they were off, or that nobody knows", "[model]") {
  CHECK(modelled_remark("gemm", "fp32").starts_with("modelled, not measured: 8 of 10 were off by -"));
  CHECK(modelled_remark("conv", "fp32") == "modelled, not measured; never compared with measurements of conv fp32");
}
