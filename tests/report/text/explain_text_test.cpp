#include "report/text/explain_text.h"

#include <algorithm>
#include <sstream>

#include "catch.h"
#include "report/form/table.h"

using namespace kerlab;
using Catch::Contains;

namespace {

LaunchWaves waves_of_tiles(std::int64_t items, std::int64_t places) {
  LaunchWaves waves;
  waves.blocks = wave_fill(items, places);
  waves.sms = share_of_sms(items, places);
  return waves;
}

/// 4096^3 in fp32 on tiles of 128 x 128: 1024 blocks, two an SM, are 3.88 waves of 264.
Explanation sample() {
  Explanation e;
  e.problem.title = "gemm 4096x4096x4096 fp32 nn";
  e.device.id = "emu:h200";
  e.device.sms = 132;
  e.problem.flops = 137.438953472e9;
  e.problem.bytes = 201326592;
  e.bottleneck = {"fp32 pipe", "busy 92 % of the time", "tensor cores"};
  e.problem.bottleneck.shape = "square";
  e.problem.bottleneck.waves = waves_of({1, 4096, 4096, 4096, 4, 4, 0, 0, false}, 128, 256, 132);
  e.problem.theoretical = {4.8e12, 66.9e12, "FMA", {}, false};
  e.problem.roof = roofline(e.problem.flops, e.problem.bytes, e.problem.theoretical);
  e.kernel_name = "gemm/reg2d";
  Inspection& kernel = e.kernel.emplace();
  kernel.trial.family = "gemm";
  kernel.trial.variant = "reg2d";
  kernel.trial.dtype = "fp32";
  kernel.trial.configuration = "BM=128 BN=128";
  kernel.title = e.problem.title;
  kernel.how = "as typed";
  kernel.modelled_us = 3000;
  LaunchInspection& launch = kernel.launches.emplace_back();
  launch.kernel = "gemm";
  launch.grid = {1024, 1, 1};
  launch.block = {256, 1, 1};
  launch.registers = 127;
  launch.shared_bytes = 16384;
  launch.occupancy = launch.resident = {2, 0.25, "registers"};
  launch.bottleneck = e.bottleneck;
  launch.work.blocks = 1024;
  launch.work.blocks_run = 6;
  launch.work.threads = 256;
  launch.waves = kerlab::model::waves_of(1024, 264);
  launch.time = {3000, "fp32 pipe", {{"fp32 pipe", 65536, 0.925}, {"issue", 60000, 0.85}}, 80000, 0};
  launch.counts.flops = 137438953472;
  launch.counts.global_sectors = 201326592 / 32 * 4;
  launch.remarks = {{"tail", "tail: said by the picture", 0.1, {}},
                    {"bank_conflicts", "shared loads at reg2d.cu:57: 8-way bank conflict", 0.9, {}}};
  e.operations.rows = {{"global_load_bytes", "global loads", "B", 1000, 1250}, {"barriers", "barriers", "", {}, 12}};
  e.operations.scope = "6 of 1024 blocks";
  e.excess = {{"global_load_bytes", {"reg2d.cu", 93, 200}, "x = A[i];", 0.6}};
  e.waves = {waves_of_tiles(1024, 264)};
  e.waves.front().sms = share_of_sms(1024, 132);
  e.waves.front().tail_us = 90;
  WhatIf& what = e.what_if.emplace_back();
  what.parameter = "BK";
  what.from = 8;
  what.to = 16;
  what.us = 2700;
  what.ratio = 0.9;
  what.registers = 130;
  what.shared_bytes = 32768;
  what.occupancy = 0.25;
  what.waves = 3.88;
  what.bottleneck = "fp32 pipe";
  e.steps = 5;
  return e;
}

std::string text_of(const Explanation& e, int width = 110) {
  return explain_text(e, {"kerlab inspect gemm/reg2d"}, {width, false, false});
}

}  // namespace

TEST_CASE("explain: from the problem down to the next command", "[report]") {
  const std::string text = text_of(sample());
  CHECK_THAT(text, Catch::StartsWith("gemm 4096x4096x4096 fp32 nn: reg2d BM=128 BN=128 (as typed)\n"
                                     "bottleneck  fp32 pipe: busy 92 % of the time\n"
                                     "suggestion  tensor cores\n"
                                     "shape       square; 512 tiles of 128x256 are 3.9 waves of 132 SMs\n"));
  // 137.44 G over 66.9 T are 2054 us; over 201.3 MB 683 FLOP/byte; the ridge is 66.9 / 4.8.
  CHECK_THAT(text, Contains("683 FLOP/byte, right of the ridge at 13.9: 2054 us at best, by FMA"));
  CHECK_THAT(
      text,
      Contains(
          "time        68 % of roofline: 3000 us modelled, not measured; 80 % prediction interval 2344 to 3371 us"));
  CHECK_THAT(text,
             Contains("counted     6 of 1024 blocks: the FLOPs of the family's formula, 4 times the least bytes"));
  CHECK_THAT(text, Contains("global loads    1,000 B  1,250 B  1.250\n") && !Contains("barriers"));
  CHECK_THAT(text, Contains("global loads: more than predicted; 60 % of them at reg2d.cu:93 `x = A[i];`"));
  CHECK_THAT(text, Contains("busy        fp32 pipe 92 %, issue 85 % of the time, on the SMs with most blocks\n"));
  CHECK_THAT(text, Contains("occupancy   25 %, limited by registers: 2 blocks per SM\n"
                            "            256 threads, 16.4 kB of shared memory per block; 127 registers per thread\n"));
  CHECK_THAT(text, Contains("8-way bank conflict") && !Contains("said by the picture"));
  CHECK_THAT(text,
             Contains("waves       1,024 blocks on 264 places (2 per SM x 132 SMs), 4 waves; of the SMs 100 have 8, "
                      "32 have 7\n"));
  CHECK_THAT(text, Contains("            waves 1 to 3    ########################################  264 of 264 each\n"
                            "            wave 4          ###################################.....  232 of 264\n"));
  CHECK_THAT(text, Contains("97 % of the places are taken, in the last wave 88 %; the tail costs about 90.00 us of "
                            "3000\n"));
  CHECK_THAT(text, Contains("as it is") && Contains("BK 8 -> 16") && Contains("0.90 modelled"));
  CHECK_THAT(text,
             Contains("1 of 5 steps that are valid (--what-if N counts more); modelled ratios: 80 % prediction "));
  CHECK_THAT(text, Catch::EndsWith("\nnext        kerlab inspect gemm/reg2d\n"));
  CHECK(std::ranges::count(text, '\n') <= 45);
}

TEST_CASE("explain: sentences keep within the width", "[report]") {
  Explanation e = sample();
  e.bottleneck.reason = std::string(400, 'x');
  e.bottleneck.reason.insert(200, " ");
  for (const int width : {1, 60, 80, 110, 500}) {
    std::istringstream lines(text_of(sample(), width));
    for (std::string line; std::getline(lines, line);) {
      // Tables, pictures and commands are as wide as they are.
      if (line.find("  ") == std::string::npos) CHECK(display_width(line) <= std::clamp(width, 40, 120));
    }
  }
  CHECK_THAT(text_of(e, 20), Contains(std::string(200, 'x')));  // a word too long has its own line
}

TEST_CASE("explain: measured times, ceilings and what others took", "[report]") {
  Explanation e = sample();
  e.problem.measured = Ceilings{4.2e12, 60e12, "FMA", ClockKind::measured, true};
  e.problem.measured_roof = roofline(e.problem.flops, e.problem.bytes, *e.problem.measured);
  e.times_of = "NVIDIA H200 sm_90 132 SM";
  e.ceilings_created = "2026-11-21T10:00:00Z";
  Measurement m;
  m.median_us = 3210;
  m.low_us = 3200;
  m.high_us = 3220;
  m.clock = ClockKind::measured;
  e.kernel->stored = {{12, "NVIDIA H200 sm_90 132 SM", m}};
  e.known = {{"cuBLASLt 13.0.2", 2500, 2490, 2510, ClockKind::measured, "NVIDIA H200 sm_90 132 SM"}};
  const std::string text = text_of(e, 120);
  CHECK_THAT(text, Contains("measured on NVIDIA H200, 2026-11-21 (4.20 TB/s, 60.00 TFLOP/s): 2291 us"));
  // 2054.4 of 3210 are 64 %, 2290.6 of 3210 are 71 %.
  CHECK_THAT(text,
             Contains("3210 [3200,3220] us measured on NVIDIA H200 (trial 12): 64 % of roofline, 71 % by measured"));
  CHECK_THAT(text, Contains("cuBLASLt 13.0.2: 2500 [2490,2510] us measured on NVIDIA H200, 82 % of roofline"));
  e.known.front().us = 2000;
  CHECK_THAT(text_of(e, 120), Contains("103 % of roofline (the clock was above"));
}

TEST_CASE("explain: timed ratios say so, and failures say why", "[report]") {
  Explanation e = sample();
  e.what_if.front().timed = TimedRatio{0.93, 0.91, 0.95, 14, "NVIDIA H200", ClockKind::measured, false};
  WhatIf& failed = e.what_if.emplace_back();
  failed.parameter = "BM";
  failed.from = 128;
  failed.to = 256;
  failed.failure = "rejected: spills";
  const std::string text = text_of(e);
  CHECK_THAT(text, Contains("0.93 [0.91,0.95] measured (modelled 0.90)"));
  CHECK_THAT(text, Contains("taken in different sessions"));
  CHECK_THAT(text, Contains("BM 128 -> 256: rejected: spills\n"));
}

TEST_CASE("explain: what did not run, and a problem alone", "[report]") {
  Explanation e = sample();
  e.kernel->launches.clear();
  e.what_if.clear();
  e.obstacle = "compile_error: reg2d.cu:3: error";
  e.variants = {{"naive", "one thread per element", 1, "", ""}, {"gemv", "rows", 2, "too many rows", ""}};
  const std::string text = text_of(e);
  CHECK_THAT(text,
             Contains("not run     compile_error: reg2d.cu:3: error\n") && Contains("time        none is stored"));
  CHECK_THAT(text, !Contains("\nbusy ") && !Contains("what if"));
  CHECK_THAT(text,
             Contains("variants    1 of 2 can do it, by rung:\n") && Contains("naive    one thread per element\n"));
  CHECK_THAT(text, Contains("not: gemv"));
  e.kernel.reset();
  e.kernel_name.clear();
  e.obstacle.clear();
  CHECK_THAT(text_of(e), Catch::StartsWith("gemm 4096x4096x4096 fp32 nn\nbottleneck"));
}

TEST_CASE("explain: several launches, the longest first", "[report]") {
  Explanation e = sample();
  LaunchInspection sums = e.kernel->launches.front();
  sums.kernel = "add_parts";
  sums.time.us = 500;
  sums.times = 2;
  sums.work.blocks = 1;
  e.kernel->launches.insert(e.kernel->launches.begin(), sums);
  e.kernel->modelled_us = 4000;
  e.waves.insert(e.waves.begin(), waves_of_tiles(1, 264));
  const std::string text = text_of(e);
  const std::size_t main = text.find("2 of 2, gemm: 3000 us of 4000 modelled");
  const std::size_t second = text.find("1 of 2, add_parts, 2 times: 1000 us of 4000 modelled");
  REQUIRE(main != std::string::npos);
  REQUIRE(second != std::string::npos);
  CHECK(main < second);
  CHECK_THAT(text, Contains("wave 1          #.......................................  1 of 264"));
}

TEST_CASE("explain: pictures of waves", "[report]") {
  CHECK(share_bar(0, 4, false) == "....");
  CHECK(share_bar(1, 4, false) == "####");
  CHECK(share_bar(0.01, 4, false) == "#...");  // something is something
  CHECK(share_bar(0.99, 4, false) == "###.");
  CHECK(share_bar(0.5, 4, true) == "██░░");
  CHECK(share_bar(0.53125, 4, true) == "██▏░");  // 17 of 32 eighths
  CHECK(display_width(share_bar(0.77, 40, true)) == 40);
  // A full wave and exactly one block more.
  CHECK(waves_picture(waves_of_tiles(133, 132), false) ==
        "wave 1          ########################################  132 of 132\n"
        "wave 2          #.......................................  1 of 132\n");
  CHECK(waves_picture(waves_of_tiles(264, 132), false) ==
        "waves 1 to 2    ########################################  132 of 132 each\n");
  LaunchWaves stays = waves_of_tiles(132, 132);
  stays.stays = true;
  stays.tiles = wave_fill(198, 132);
  CHECK(waves_picture(stays, false) ==
        "round 1         ########################################  132 of 132\n"
        "round 2         ####################....................  66 of 132\n");
  CHECK(waves_picture({}, false).empty());
}

TEST_CASE("explain: the JSON document holds all of it", "[report]") {
  const JsonValue value(explain_value(sample(), {"kerlab inspect gemm/reg2d"}));
  for (const char* key : {"title", "shape", "bottleneck", "theoretical", "practical", "kernel", "operations", "excess",
                          "waves", "what_if", "steps", "variants", "next", "obstacle"})
    CHECK(value.find(key) != nullptr);
  CHECK(value.find("shape")->text() == "square");
  CHECK(value.find("bottleneck")->find("suggestion")->text() == "tensor cores");
  CHECK(value.find("waves")->elements().front().find("blocks")->find("last")->text() == "232");
  CHECK(value.find("what_if")->elements().front().find("modelled_ratio")->text() == "0.9");
  CHECK(value.find("practical")->text() == "null");
}
