// One bottleneck of a launch: a table of situations, and what holds of any counts.
#include "model/bottleneck.h"

#include <map>
#include <random>

#include "catch.h"

using namespace kerlab;
using Catch::Contains;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.clock_mhz = 1980;
  device.threads_per_sm = 2048;
  device.shared_per_sm = 228 << 10;
  device.fp64_ratio = 0.5;
  device.l2_bytes = 60 << 20;
  return device;
}

/// A launch as the time model sees it: how busy its units are, whether it waits, and how its blocks fill the SMs.
struct Situation {
  const char* what;
  double us;
  std::vector<UnitDemand> units;
  const char* limiter;
  std::int64_t blocks;
  int fit;
  double tail;
  const char* bottleneck;
  const char* suggestion;  ///< a word of it
};

Bottleneck of(const Situation& s) {
  CountedWork work;
  work.threads = 256;
  work.blocks = s.blocks;
  work.blocks_run = 1;
  work.blocks_per_sm = s.fit;
  ModelledTime time;
  time.us = s.us;
  time.units = s.units;
  time.limiter = s.limiter;
  time.tail = s.tail;
  const Occupancy fits{s.fit, s.fit * 256 / 2048.0, "registers"};
  return launch_bottleneck(time, work, occupancy_of_grid(fits, s.blocks, h200()), h200());
}

const std::vector<Situation> kSituations = {
    {"tensor-bound",
     170,
     {{"tensor pipe", 0, 0.87}, {"issue", 0, 0.4}},
     "latency",
     1024,
     1,
     0.03,
     "tensor pipe",
     "wgmma"},
    {"a pipe at 80 % is the bottleneck although blocks wait",
     170,
     {{"fp32 pipe", 0, 0.8}},
     "latency",
     1024,
     1,
     0,
     "fp32 pipe",
     "tensor cores"},
    {"DRAM-bound", 100, {{"DRAM", 0, 0.93}, {"L2", 0, 0.5}}, "DRAM", 4096, 4, 0, "DRAM", "fewer bytes"},
    {"DRAM-bound by few blocks", 100, {{"DRAM", 0, 0.9}}, "DRAM", 66, 1, 0, "DRAM", "fewer bytes"},
    {"L2-bound", 100, {{"L2", 0, 0.85}, {"DRAM", 0, 0.3}}, "L2", 4096, 4, 0, "L2", "larger tiles"},
    {"shared-memory-bound",
     100,
     {{"shared memory", 0, 0.9}, {"fp32 pipe", 0, 0.5}},
     "shared memory",
     4096,
     4,
     0,
     "shared memory",
     "bank conflicts"},
    {"issue-bound",
     100,
     {{"issue", 0, 0.95}, {"fp32 pipe", 0, 0.6}},
     "issue",
     4096,
     4,
     0,
     "issue",
     "fewer instructions"},
    {"latency-bound", 100, {{"issue", 0, 0.4}, {"L2", 0, 0.3}}, "latency", 4096, 4, 0, "latency", "fewer registers"},
    {"latency-bound, one block per SM", 100, {{"issue", 0, 0.4}}, "latency", 132, 2, 0, "latency", "more blocks"},
    {"too few blocks", 100, {{"issue", 0, 0.95}}, "issue", 64, 2, 0, "too few blocks", "split"},
    {"too few blocks, which wait", 100, {{"issue", 0, 0.2}}, "latency", 64, 2, 0, "too few blocks", "split"},
    {"tiny", 4.5, {{"DRAM", 0, 0.9}}, "DRAM", 4096, 4, 0, "launch overhead", "CUDA graph"},
    {"tiny, and few blocks", 4.5, {{"issue", 0, 0.1}}, "latency", 1, 4, 0, "launch overhead", "CUDA graph"},
    {"empty", 2.7, {}, "launch", 1, 4, 0, "launch overhead", "CUDA graph"},
    {"tail wave", 100, {{"tensor pipe", 0, 0.95}}, "tensor pipe", 133, 1, 0.49, "wave tail", "tile size"},
    {"several units overlap",
     100,
     {{"shared memory", 0, 0.7}, {"tensor pipe", 0, 0.6}},
     "shared memory",
     4096,
     4,
     0,
     "shared memory",
     "bank conflicts"},
};

/// Any counts at all: from one warp to many, with any mix of what a block does.
CountedWork random_work(std::mt19937& random) {
  const auto upto = [&](double most) {
    return static_cast<std::int64_t>(std::pow(most, std::uniform_real_distribution<>(0, 1)(random)));
  };
  const auto sometimes = [&](double most) { return random() % 2 == 0 ? 0 : upto(most); };
  CountedWork work;
  work.threads = 32 * (1 + static_cast<std::int64_t>(random() % 32));
  work.blocks = upto(1e5);
  work.blocks_run = 1;
  work.blocks_per_sm = 1 + static_cast<int>(random() % 8);
  for (std::int64_t& count : work.counts.warp_instructions) count = sometimes(1e6);
  work.counts.tensor_flops = work.counts.warp_instructions[static_cast<std::size_t>(Pipe::tensor)] * 4096;
  work.counts.shared_wavefronts = sometimes(1e6);
  work.counts.global_requests = sometimes(1e5);
  work.counts.global_sectors = work.counts.global_requests * static_cast<std::int64_t>(1 + random() % 32);
  work.traffic.touched = random() % 2 == 0 ? 0 : work.counts.global_sectors;  // 0: all of it by bulk copies
  work.traffic.first = work.traffic.touched / 2;
  work.stretches = {{upto(1e4), static_cast<std::int32_t>(upto(1000)), static_cast<std::int32_t>(upto(4000)), {}}};
  work.registers = 16 + static_cast<int>(random() % 200);
  work.shared_bytes = sometimes(200e3);
  work.dram_bytes = static_cast<double>(sometimes(1e9));
  return work;
}

/// A word that the suggestion against each of them has, and others have not.
const std::map<std::string, std::string> kWords = {
    {"launch overhead", "CUDA graph"},
    {"DRAM", "fewer bytes"},
    {"too few blocks", "smaller tiles, or a split"},
    {"wave tail", "stream-K"},
    {"tensor pipe", "wgmma"},
    {"shared memory", "fewer bank conflicts"},
    {"L2", "between L2 and the SMs"},
    {"L1", "fewer sectors"},
    {"global accesses", "fewer accesses"},
    {"fp64 pipe", "narrower type where"},
    {"integer pipe", "address computations"},
    {"special pipe", "transcendental"},
    {"shuffle pipe", "between lanes"},
    {"atomic pipe", "atomic operations"},
};

}  // namespace

TEST_CASE("bottleneck: one of a launch, with the suggestion that fits", "[model]") {
  for (const Situation& situation : kSituations) {
    INFO(situation.what);
    const Bottleneck found = of(situation);
    CHECK(found.name == situation.bottleneck);
    CHECK_THAT(found.suggestion, Contains(situation.suggestion));
    CHECK_FALSE(found.reason.empty());
  }
}

TEST_CASE("bottleneck: reasons have the figures", "[model]") {
  CHECK(of(kSituations[0]).reason == "busy 87 % of the time");
  CHECK(of({"", 100, {{"issue", 0, 0.9}}, "issue", 64, 2, 0, "", ""}).reason ==
        "64 blocks for 132 SMs: 52 % of the SMs have nothing to do");
  CHECK(of({"", 100, {{"issue", 0, 0.4}}, "latency", 132, 2, 0, "", ""}).reason ==
        "the busiest unit, issue, works 40 % of the time; 1 block of 8 warps per SM does not cover the waits");
  CHECK(of({"", 100, {{"issue", 0, 0.9}}, "issue", 396, 2, 0.25, "", ""}).reason ==
        "the last of 2 waves is 50 % full: 25 % of the time is lost to it");
  CHECK(of({"", 4.5, {{"issue", 0, 0.1}}, "issue", 396, 2, 0, "", ""}).reason ==
        "starting the kernel takes 2.700 us of 4.500 us");
}

TEST_CASE("bottleneck: of any counts exactly one, never latency where a unit is busy, and what helps fits", "[model]") {
  std::mt19937 random(19);
  std::map<std::string, int> seen;
  for (int i = 0; i < 20'000; ++i) {
    const CountedWork work = random_work(random);
    const Ceilings ceilings{4.8e12, 989e12, "tensor pipe", {}, false};
    const ModelledTime time = model_launch(h200(), ceilings, work);
    const Occupancy fits{work.blocks_per_sm, 0.5, "registers"};
    const Bottleneck found = launch_bottleneck(time, work, occupancy_of_grid(fits, work.blocks, h200()), h200());
    ++seen[found.name];
    bool busy = false, known = false;
    for (const UnitDemand& unit : time.units) {
      busy |= unit.busy >= 0.8;
      known |= unit.name == found.name;
    }
    REQUIRE_FALSE(found.reason.empty());
    REQUIRE_FALSE(found.suggestion.empty());
    if (busy) REQUIRE(found.name != "latency");
    const bool of_grid = found.name == "too few blocks" || found.name == "wave tail";
    REQUIRE((known || of_grid || found.name == "latency" || found.name == "launch overhead"));
    if (found.name == "too few blocks") REQUIRE(work.blocks < 132);
    if (found.name == "wave tail") REQUIRE(work.blocks > 132 * work.blocks_per_sm);
    for (const auto& [name, words] : kWords) {
      INFO(found.name << ": " << found.suggestion);
      if (name == found.name) REQUIRE_THAT(found.suggestion, Contains(words));
      if (name != found.name) REQUIRE_THAT(found.suggestion, !Contains(words));
    }
  }
  for (const char* name : {"launch overhead", "too few blocks", "wave tail", "latency", "DRAM", "L2", "tensor pipe",
                           "shared memory", "issue", "special pipe", "global accesses"}) {
    INFO(name);
    CHECK(seen[name] > 0);
  }
}

TEST_CASE("bottleneck: exponentials that products wait for are no latency", "[model]") {
  CountedWork work;
  work.threads = 384;
  work.blocks = 132 * 16;
  work.blocks_run = 1;
  work.blocks_per_sm = 1;
  work.counts.tensor_flops = 1 << 30;
  ModelledTime time;
  time.us = 535;
  time.limiter = "latency";
  time.units = {{"tensor pipe", 0, 0.69}, {"issue", 0, 0.63}, {"special pipe", 0, 0.56}};
  const auto found = [&] { return launch_bottleneck(time, work, {1, 0.19, "registers"}, h200()); };
  CHECK(found().name == "special pipe");
  CHECK_THAT(found().reason, Contains("tensor pipe 69 %"));
  CHECK_THAT(found().suggestion, Contains("polynomials"));
  time.units[2].busy = 0.34;  // of a larger depth
  CHECK(found().name == "latency");
  time.units[0].busy = 0.84;
  time.units[2].busy = 0.56;
  CHECK(found().name == "tensor pipe");
  time.units[0].busy = 0.69;
  work.counts.tensor_flops = 0;  // a softmax without products
  CHECK(found().name == "latency");
}

TEST_CASE("occupancy: the grid is among its limiters", "[model]") {
  const Occupancy fits{2, 0.25, "registers"};
  const auto of_blocks = [&](std::int64_t blocks) { return occupancy_of_grid(fits, blocks, h200()); };
  CHECK(of_blocks(64).limiter == "the grid");
  CHECK(of_blocks(132).blocks == 1);
  CHECK(of_blocks(132).fraction == Approx(0.125));
  CHECK(of_blocks(133).limiter == "registers");  // one SM has two
  CHECK(of_blocks(4096).blocks == 2);
}
