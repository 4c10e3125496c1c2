#include "report/text/inspect_text.h"

#include "catch.h"
#include "report/text/diff_text.h"

using namespace kerlab;
using Catch::Contains;

namespace {

Inspection sample(int bm) {
  Inspection kernel;
  kernel.trial.variant = "reg2d";
  kernel.trial.family = "gemm";
  kernel.trial.dtype = "fp32";
  kernel.trial.configuration = "BM=" + std::to_string(bm) + " BN=64";
  kernel.trial.toolchain = "NVRTC 13.0";
  kernel.trial.source_hash = "abc";
  kernel.title = "gemm 512x512x512 fp32 nn";
  kernel.how = "as typed";
  kernel.device = "emu:h200";
  kernel.modelled_us = bm;
  LaunchInspection& launch = kernel.launches.emplace_back();
  launch.kernel = "gemm";
  launch.grid = {64, 1, 1};
  launch.block = {256, 1, 1};
  launch.registers = 127;
  launch.shared_bytes = 16384;
  launch.occupancy = {2, 0.25, "registers"};
  launch.resident = {1, 0.125, "the grid"};
  launch.bottleneck = {"fp32 pipe", "busy 62 % of the time", "fewer operations"};
  launch.work.blocks = 64;
  launch.work.blocks_run = 4;
  launch.waves = waves_of(64, 264);
  launch.time = {53.25, "fp32 pipe", {{"fp32 pipe", 65536, 0.625}}, 80000, 0};
  launch.counts.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] = 3000;
  launch.counts.lane_instructions[static_cast<std::size_t>(Pipe::fp32)] = 96000;
  launch.counts.warp_instructions[static_cast<std::size_t>(Pipe::shared)] = 1000;
  launch.counts.lane_instructions[static_cast<std::size_t>(Pipe::shared)] = 32000;
  launch.counts.shared_requests = 1000 * bm;
  launch.counts.shared_wavefronts = 8000;
  SourceLine& line = launch.lines.emplace_back();
  line.line = {"reg2d.cu", 57, 99};
  line.source = "x = As[k][m];";
  line.share = 0.25;
  line.sum.warp_instructions = 62;
  line.sum.lane_instructions = 62 * 32;
  line.sum.shared_requests = 62;
  line.sum.wavefronts = 62 * 8;
  line.sum.least_wavefronts = 62;
  launch.remarks = {{"bank_conflicts", "shared loads at reg2d.cu:57: 8-way", 0.9, {}}};
  return kernel;
}

}  // namespace

TEST_CASE("inspect: what a launch says of the one before it and of shared memory", "[report]") {
  Inspection kernel = sample(64);
  CHECK_THAT(inspect_text(kernel, 12, false, 0), !Contains("programmatic") && !Contains("carve-out"));
  kernel.launches.front().programmatic = true;
  kernel.launches.front().carveout = 25;
  CHECK_THAT(inspect_text(kernel, 12, false, 0),
             Contains("  programmatic   begins before the launch before it has ended\n") &&
                 Contains("  carve-out      25 % shared memory, a hint\n"));
}

TEST_CASE("inspect: launch, units, mix, memory, hot spots, sentences", "[report]") {
  const std::string text = inspect_text(sample(64), 12, false, 0);
  CHECK_THAT(text, Contains("gemm 512x512x512 fp32 nn: reg2d BM=64 BN=64  (as typed)\n"));
  CHECK_THAT(text, Contains("  bottleneck     fp32 pipe: busy 62 % of the time\n  suggestion     fewer operations\n"));
  CHECK_THAT(text, Contains("  grid           64 x 1 x 1 blocks of 256 x 1 x 1 threads\n"
                            "  registers      127 per thread, none spilled\n"));
  CHECK_THAT(text, Contains("  occupancy      12 %, limited by the grid: 1 block per SM (2 would fit)\n"
                            "  waves          one, 24 % full\n"));
  CHECK_THAT(text, Contains("  counted        4 of 64 blocks\n"));
  CHECK_THAT(text, Contains("  fp32 pipe          65,536  62 %  #############\n"));
  CHECK_THAT(text, Contains("  fp32                3,000   32.0   75 %  ###############\n"
                            "  shared              1,000   32.0   25 %  #####\n"));
  CHECK_THAT(text, Contains("64,000 requests, 8 wavefronts each (1 without bank conflicts)"));
  CHECK_THAT(text, Contains("reg2d.cu:57") && Contains("8-way") && Contains("992") && Contains("x = As[k][m];"));
  CHECK_THAT(text, Contains("\nbesides\n  shared loads at reg2d.cu:57: 8-way\n"));
}

TEST_CASE("diff: what differs is shown, what is equal with --all", "[report]") {
  const Inspection a = sample(64), b = sample(128);
  const std::string text = diff_text(a, b, "", false, false, 0);
  CHECK_THAT(text, Contains("parameters   A    B  B/A\n"
                            "BM          64  128\n"));
  CHECK_THAT(text, Contains("shared requests") && Contains("2.000"));
  CHECK_THAT(text, !Contains("registers") && Contains("rows are equal (--all shows them)"));
  CHECK_THAT(text, Contains("the sources are the same\n"));
  const std::string all = diff_text(a, b, "--- a\n+++ b\n", true, false, 0);
  CHECK_THAT(all, Contains("registers") && Contains("--- a\n+++ b\n") && !Contains("rows are equal"));
}

TEST_CASE("diff: times compare only within one device class, protocol, cache and clock", "[report]") {
  Inspection a = sample(64), b = sample(128);
  Measurement m;
  m.median_us = 10, m.low_us = 9.9, m.high_us = 10.1, m.clock = ClockKind::measured, m.cache = CacheState::cold,
  m.protocol = "events-1";
  a.stored = {{1, "H200", m}};
  m.median_us = 20, m.low_us = 19.9, m.high_us = 20.1;
  b.stored = {{2, "H200", m}};
  CHECK_THAT(diff_text(a, b, "", false, false, 0), Contains("H200, measured, cold, events-1") && Contains("2.000"));
  b.stored.front().measurement.cache = CacheState::hot;
  const auto sections = diff_sections(a, b);
  for (const DiffRow& row : sections.back().rows)
    if (row.name.starts_with("H200")) CHECK_FALSE(row.ratio);
}
