#include "model/time_model.h"

#include <cmath>

#include "catch.h"
#include "report/text/modelled_remark.h"

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

constexpr Ceilings kNoMemory{0, 989e12, "", {}, false};

/// `blocks` blocks of 256 threads, of which one was run: `fma` warp instructions each, everything independent.
CountedWork arithmetic(std::int64_t blocks, std::int64_t fma, int blocks_per_sm = 2) {
  CountedWork work{256, blocks, 1, blocks_per_sm, {}, {{fma, 1, 0, {}}}};
  work.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] = fma;
  return work;
}

/// Blocks whose every warp loads something 1000 times, waits for it, and multiplies for some 400 cycles.
CountedWork fetching(int blocks_per_sm) {
  CountedWork work = arithmetic(132 * 8, 8 * 1000 * 150, blocks_per_sm);
  work.stretches = {{8 * 1000, 2, latency::kGlobal, {}}, {8 * 1000, 148, 0, {}}};
  return work;
}

ModelledTime modelled(CountedWork work, double dram_bytes = 0, Ceilings ceilings = kNoMemory) {
  work.dram_bytes = dram_bytes;
  return model_launch(hopper(), ceilings, work);
}

double us(const CountedWork& work, double dram_bytes = 0, Ceilings ceilings = kNoMemory) {
  return modelled(work, dram_bytes, ceilings).us;
}

}  // namespace

TEST_CASE("time model: multiply-adds run as fast as the schedulers issue them, 80 % of the peak", "[model]") {
  const std::int64_t blocks = 132 * 2 * 10, fma = 1'000'000;
  const double flops = static_cast<double>(blocks * fma * 32 * 2);
  const double achieved = flops / us(arithmetic(blocks, fma)) * 1e6;
  CHECK(achieved == Approx(0.79 * 132 * 128 * 2 * 1.98e9).epsilon(0.02));
  CHECK(modelled(arithmetic(blocks, fma)).limiter == "fp32 pipe");
}

TEST_CASE("time model: a graph starts a launch for less", "[model]") {
  CountedWork work = arithmetic(132, 1000);
  const ModelledTime alone = modelled(work);
  work.in_graph = true;
  const ModelledTime in_graph = modelled(work);
  CHECK(alone.start_us == TimeConstants{}.launch_us);
  CHECK(in_graph.start_us == TimeConstants{}.graph_node_us);
  CHECK(alone.us - alone.start_us == Approx(in_graph.us - in_graph.start_us));
  work.blocks_run = 0;
  CHECK(modelled(work).us == TimeConstants{}.graph_node_us);
}

TEST_CASE("time model: one block too many costs another wave", "[model]") {
  const double full = us(arithmetic(132 * 2, 1'000'000)), more = us(arithmetic(132 * 2 + 1, 1'000'000));
  CHECK(more > 1.4 * full);
  CHECK(us(arithmetic(132 * 3, 1'000'000)) == Approx(more).epsilon(0.01));
  // Of three blocks one after the other 2.008 have work on average.
  CHECK(modelled(arithmetic(132 * 2 + 1, 1'000'000)).tail == Approx(1 - 265.0 / 132 / 3).epsilon(0.02));
  CHECK(modelled(arithmetic(132 * 2, 1'000'000)).tail == 0);
}

TEST_CASE("time model: resident blocks cover each other's waits", "[model]") {
  CHECK(modelled(fetching(1)).limiter == "latency");
  CHECK(modelled(fetching(8)).limiter == "fp32 pipe");
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
  CHECK(us(four) > us(arithmetic(132, 40'000, 1)));
}

TEST_CASE("time model: a copy is waited for where little stands between it and the wait", "[model]") {
  CountedWork near = arithmetic(132 * 8, 8 * 1000 * 150, 1), far = near, elsewhere = near;
  near.stretches = {{8 * 1000, 150, 0, 10}};
  far.stretches = {{8 * 1000, 150, 0, 140}};
  elsewhere.stretches = {{8 * 1000, 150, 0, {}}};
  CHECK(us(near) > us(far));
  CHECK(us(far) > us(elsewhere));
}

TEST_CASE("time model: copies of rounds before have had that long", "[model]") {
  CountedWork one_ahead = arithmetic(132 * 8, 8 * 1000 * 50, 1), three_ahead = one_ahead;
  one_ahead.stretches[0] = {8 * 1000, 50, 0, {}};
  one_ahead.stretches[0].pending = 0;
  three_ahead.stretches = one_ahead.stretches;
  three_ahead.stretches[0].pending = 2;
  CHECK(us(one_ahead) > 1.2 * us(three_ahead));
}

TEST_CASE("time model: what some warps do in a loop, all wait for at its barrier", "[model]") {
  // A loop of 1000 rounds; in each, one warp of eight loads something.
  CountedWork apart = arithmetic(132, 8 * 1000 * 20, 1);
  apart.stretches = {{8 * 1000, 10, 0, {}}, {1000, 1, latency::kGlobal, {}}, {8 * 1000, 10, 0, {}}};
  CountedWork together = apart;
  together.counts.warp_instructions[static_cast<std::size_t>(Pipe::barrier)] = 8 * 1000;
  CHECK(us(together) > 2 * us(apart));
}

TEST_CASE("time model: loads that registers cannot hold come one part after another", "[model]") {
  CountedWork room = fetching(1);
  room.stretches[0].loads = 1;
  room.stretches[0].held = 200;
  room.stretches[0].fetched = 64;
  room.registers = 200;
  CountedWork none = room;
  none.registers = 150;
  CHECK(us(none) > 1.5 * us(room));
}

TEST_CASE("time model: a row read again comes from L1, from L2 or from DRAM, by how many blocks there are", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", {}, false};
  CountedWork rows = arithmetic(132 * 64, 10, 4);
  rows.traffic.first = rows.traffic.again = 64 * 1024 / 32;
  rows.traffic.touched = 2 * rows.traffic.first;
  rows.counts.global_sectors = rows.traffic.touched;
  DeviceInfo device = hopper();
  device.shared_per_sm = 228 << 10;
  const auto of = [&](int resident, std::int64_t shared) {
    CountedWork work = rows;
    work.blocks_per_sm = resident;
    work.shared_bytes = shared;
    work.dram_bytes = 132.0 * 64 * 64 * 1024;
    return model_launch(device, memory, work).us;
  };
  CHECK(of(32, 0) > 1.8 * of(4, 0));  // 264 MiB of rows at once: more than L2 holds
  CountedWork work = rows;
  work.stretches = {{8 * 1000, 2, latency::kGlobal, {}, 1}};
  work.blocks_per_sm = 2;
  const double held = model_launch(device, memory, work).us;
  work.shared_bytes = 100 << 10;  // no room beside it
  CHECK(model_launch(device, memory, work).us > 1.2 * held);
}

TEST_CASE("time model: loads of an unrolled loop behind tests of bounds wait together", "[model]") {
  CountedWork apart = fetching(1);
  const Stretch load{8 * 1000, 2, latency::kGlobal, {}, 1}, little{8 * 1000, 10, 0, {}}, test{8 * 999, 1, 0, {}};
  apart.stretches = {load, little, test, little, load};
  CountedWork together = apart;
  together.stretches = {load, little, load, little, test};
  CHECK(us(apart) > 1.5 * us(together));
}

TEST_CASE("time model: few blocks have all of DRAM", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", {}, false};
  CountedWork few = arithmetic(33, 10, 1), all = arithmetic(132, 10, 1);
  const double bytes = 1e9;
  CHECK(us(few, bytes, memory) < 1.2 * us(all, bytes, memory));
}

TEST_CASE("time model: tiles that bulk copies fetch come from L2, however much a block fetches", "[model]") {
  const Ceilings memory{4.8e12, 989e12, "", {}, false};
  CountedWork stays = arithmetic(132, 1000, 1);
  stays.counts.global_sectors = 16'000'000 / 32;
  stays.stretches = {{8 * 100, 10, 0, {}}};
  stays.shared_bytes = 200 << 10;
  // 100 MB at least, 2 GB fetched: of DRAM's time a fifth or so.
  CHECK(modelled(stays, 100e6, memory).limiter != "DRAM");
}

TEST_CASE("time model: bulk copies wait for their ring", "[model]") {
  CountedWork small = arithmetic(132, 1000, 1);
  small.counts.global_sectors = 100 * 32 * 1024 / 32;
  small.stretches = {{8 * 100, 10, 0, {}}};
  small.shared_bytes = 16 << 10;  // two hundred times through it
  CountedWork large = small;
  large.shared_bytes = 128 << 10;
  CHECK(us(small) > 2 * us(large));
}

TEST_CASE("time model: of two rings beside each other every stage is filled for itself", "[model]") {
  // 32 KB of keys and 32 KB of values, two stages each, 160 KB of shared memory with the queries: 1000 rounds whose
  // products are to cover the copies. One warp of twelve fills, eight multiply.
  CountedWork rings = arithmetic(132, 1000, 1);
  rings.threads = 384;
  rings.counts.global_sectors = 1000 * (64 << 10) / 32;
  rings.counts.tensor_flops = std::int64_t{1000} * 4 * 128 * 128 * 128;
  rings.shared_bytes = 160 << 10;
  rings.stretches = {{1000, 10, 0, {}}, {8 * 1000, 10, 0, {}}};
  const ModelledTime unsaid = modelled(rings);
  rings.stretches.front().commits = 2;  // an mbarrier each
  const ModelledTime said = modelled(rings);
  CHECK(unsaid.units.front().busy < 0.75);  // taken for a ring of two stages of 64 KB
  CHECK(said.units.front().name == "tensor pipe");
  CHECK(said.units.front().busy > 0.8);
  CHECK(said.us < 0.8 * unsaid.us);
  // Less shared memory: then the copies are waited for all the same.
  rings.shared_bytes = 64 << 10;
  CHECK(modelled(rings).us > 1.3 * said.us);
}

TEST_CASE("time model: a ring has the stages that its mbarriers tell of, less those that products hold", "[model]") {
  // 100 fills of 32 KB: each takes 760 cycles to come and 512 to be transferred. L2 is all that is busy, 51200 cycles.
  CountedWork ring = arithmetic(132, 1000, 1);
  ring.counts.global_sectors = 100 * 32 * 1024 / 32;
  ring.shared_bytes = 160 << 10;  // room for five, but the epilogue has some of it
  ring.stretches = {{100, 10, 0, {}}};
  ring.stretches.front().commits = 1;
  ring.pipeline = {1, 100, 50, 200, 200, 0, 0};  // two stages, and one product on its way while the next is waited for
  const double turn = 100 * (760 + 512) + 51200, rest = TimeConstants{}.block_cycles;
  CHECK(modelled(ring).alone_cycles == Approx(rest + turn / (2 - 1)).epsilon(0.01));
  ring.pipeline.unfinished = 0;  // a stage is free as soon as it has been multiplied
  CHECK(modelled(ring).alone_cycles == Approx(rest + turn / 2).epsilon(0.01));
  ring.pipeline.unfinished = 100;
  CHECK(modelled(ring).alone_cycles == Approx(rest + turn / (2 - 0.5)).epsilon(0.01));
  ring.pipeline.most_expected = 25;  // four stages: L2 is the limit
  CHECK(modelled(ring).alone_cycles < 1.1 * (rest + 51200));
}

TEST_CASE("time model: copies and products of wgmma hardly keep each other waiting", "[model]") {
  CountedWork loaded = arithmetic(132 * 10, 1000, 1);
  loaded.counts.tensor_flops = std::int64_t{1} << 30;
  loaded.counts.warp_instructions[static_cast<std::size_t>(Pipe::tensor)] = loaded.counts.tensor_flops / 131072;
  const double products = modelled(loaded).alone_cycles - TimeConstants{}.block_cycles;
  // As many cycles of L2: by loads of threads, and by bulk copies into shared memory.
  const auto sectors = static_cast<std::int64_t>(products * TimeConstants{}.l2_bytes_per_cycle / 32);
  CountedWork copied = loaded;
  copied.counts.global_sectors = sectors;
  loaded.traffic = {sectors / 16, sectors, 0, 0};
  loaded.counts.global_sectors = sectors / 16;
  const double rest = TimeConstants{}.block_cycles;
  CHECK(modelled(loaded).alone_cycles - rest ==
        Approx(products * std::pow(2, 1 / TimeConstants{}.overlap)).epsilon(0.02));
  CHECK(modelled(copied).alone_cycles - rest ==
        Approx(products * std::pow(2, 1 / TimeConstants{}.engine_overlap)).epsilon(0.02));
}

TEST_CASE("time model: unlike blocks stand for all with the weight of the average one", "[model]") {
  CountedWork work = arithmetic(132 * 40, 1'000'000, 1);
  const double alike = us(work) - TimeConstants{}.launch_us;
  work.weight = 0.7;
  CHECK(us(work) - TimeConstants{}.launch_us == Approx(0.7 * alike).epsilon(0.02));
}

TEST_CASE("time model: wgmma is faster than mma.sync", "[model]") {
  CountedWork mma = arithmetic(132 * 10, 1000);
  mma.counts.tensor_flops = std::int64_t{1} << 32;
  mma.counts.warp_instructions[static_cast<std::size_t>(Pipe::tensor)] = mma.counts.tensor_flops / 4096;
  CountedWork wgmma = mma;
  wgmma.counts.warp_instructions[static_cast<std::size_t>(Pipe::tensor)] = mma.counts.tensor_flops / 131072;
  CHECK(us(mma) > 1.2 * us(wgmma));
  CHECK(modelled(wgmma).limiter == "tensor pipe");
}

TEST_CASE("time model: DRAM traffic bounds what has little arithmetic", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", {}, false};
  const ModelledTime time = modelled(arithmetic(132 * 8, 10), 4.8e9, memory);
  CHECK(time.us == Approx(1000 / TimeConstants{}.dram).epsilon(0.02));
  CHECK(time.limiter == "DRAM");
}

TEST_CASE("time model: what L2 does not hold comes from DRAM every time", "[model]") {
  const Ceilings memory{4.8e12, 66.9e12, "", {}, false};
  CountedWork rows = arithmetic(132 * 64, 10, 4);
  rows.traffic.first = 64 * 1024 / 32;  // rows of 64 KiB, touched three times
  rows.traffic.again = 2 * rows.traffic.first;
  rows.traffic.touched = rows.counts.global_sectors = 3 * rows.traffic.first;
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
  CHECK(modelled(conflicts).limiter == "shared memory");
}

TEST_CASE("time model: the number of blocks that were executed does not matter", "[model]") {
  CountedWork one = arithmetic(1024, 5'000), six = one;
  six.blocks_run = 6;
  six.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] *= 6;
  six.stretches.front().executions *= 6;
  CHECK(us(one) == Approx(us(six)));
}

TEST_CASE("time model: nothing executed is a launch, not a division by zero", "[model]") {
  CHECK(model_launch(hopper(), kNoMemory, {256, 0, 0, 1, {}, {}}).us == TimeConstants{}.launch_us);
}

TEST_CASE("modelled times say how far they were off, or that nobody knows", "[model]") {
  CHECK(modelled_remark("gemm", "fp32").starts_with("modelled, not measured; 80 % prediction interval -11 % to +28 %"));
  CHECK(modelled_remark("conv", "fp32") == "modelled, not measured; never compared with measurements of conv fp32");
}
