#include "report/text/show_text.h"

#include "catch.h"

using namespace kerlab;
using Catch::Contains;

namespace {
TrialStory sample() {
  TrialStory story;
  Trial& trial = story.trial;
  trial.id = 143;
  trial.variant = "mma_pipe";
  trial.configuration = "BM=128 BN=256";
  trial.problem = "gemm M=4096 N=4096 K=4096 bf16";
  trial.device_class = "NVIDIA H200";
  trial.options = "-DBM=128";
  trial.source_hash = "abc";
  trial.toolchain = "NVRTC 13.0";
  trial.status = TrialStatus::passed;
  trial.registers = 168;
  trial.shared_bytes = 98304;
  trial.threads = 128;
  trial.compile_ms = 145;
  trial.check_detail =
      R"([{"recipe":"normal","output":"D","passed":true,"compared":16777216,"mismatches":0,"nans":0,"error_ratio":0.21,"detail":""},)"
      R"({"recipe":"one_hot","output":"D","passed":false,"compared":16777216,"mismatches":3,"nans":1,"error_ratio":null,"detail":"[1, 2]: got nan"}])";
  story.occupancy = Occupancy{2, 0.125, "shared memory"};
  story.flops = 137438953472.0;
  story.roof = Roofline{1365, 206, 989.4e12, 138.9, false};
  Measurement final;
  final.stage = TimingStage::final;
  final.median_us = 291.4;
  final.low_us = 290;
  final.high_us = 293;
  final.mad_us = 0.5;
  final.minimum_us = 289.9;
  final.sm_clock_mhz = 1755;
  final.cache = CacheState::cold;
  final.clock = ClockKind::measured;
  final.samples_us = {290, 291.4, 293};
  final.created = "2026-11-21T08:00:00.000Z";
  story.measurements = {final};
  story.winner = true;
  story.reproduce = "kerlab bench --trial 143";
  return story;
}
}  // namespace

TEST_CASE("show: everything about a trial", "[report]") {
  CHECK(show_text(sample(), false) ==
        "trial 143: mma_pipe BM=128 BN=256\n"
        "  status        passed, the winner of its problem\n"
        "  problem       gemm M=4096 N=4096 K=4096 bf16\n"
        "  device        NVIDIA H200\n"
        "  options       -DBM=128\n"
        "  source        abc\n"
        "\n"
        "resources\n"
        "  registers     168 a thread, none spilled\n"
        "  shared memory 98.3 kB a block\n"
        "  threads       128 a block\n"
        "  occupancy     12 %, 2 blocks an SM, limited by shared memory\n"
        "  compilation   145 ms, NVRTC 13.0\n"
        "\n"
        "check\n"
        "  recipe   output  result  err/bound  mismatches        of  NaN  worst\n"
        "  normal   D       passed       0.21           0  16777216    0\n"
        "  one_hot  D       wrong           -           3  16777216    1  [1, 2]: got nan\n"
        "\n"
        "measurements\n"
        "  stage  us [95 %]        MAD  least  n  SM MHz  cache  clock     speed                        when\n"
        "  final  291.4 [290,293]  0.5  289.9  3    1755  cold   measured  471.7 TFLOP/s, 48 % of roof  "
        "2026-11-21T08:00:00.000Z\n"
        "\n"
        "reproduce: kerlab bench --trial 143   SASS/PTX: kerlab show 143 --save DIR\n");
}

TEST_CASE("show: a trial that failed early has a message and no tables", "[report]") {
  TrialStory story;
  story.trial.id = 7;
  story.trial.variant = "naive";
  story.trial.status = TrialStatus::compile_error;
  story.trial.message = "naive.cu:3: expected a ';'";
  const std::string text = show_text(story, false);
  CHECK_THAT(text, Contains("compile_error: naive.cu:3: expected a ';'"));
  CHECK_THAT(text, !Contains("check\n") && !Contains("measurements\n"));
  CHECK_THAT(show_text(story, true), Contains("\x1b["));
}

TEST_CASE("show: predicted beside counted operations", "[report]") {
  TrialStory story = sample();
  story.operations.rows = {{"global_load_bytes", "global loads", "B", 549755813888, 549755813888},
                           {"barriers", "barriers, by warp", "", {}, 1024}};
  story.operations.scope = "6 of 1024 blocks on emu:h200";
  CHECK_THAT(show_text(story, false), Contains("operations (counted: 6 of 1024 blocks on emu:h200)\n"
                                               "  of one run                 predicted            counted   ratio\n"
                                               "  global loads       549,755,813,888 B  549,755,813,888 B  1.0000\n"
                                               "  barriers, by warp                  -              1,024       -\n"));
}
