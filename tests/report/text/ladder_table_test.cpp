#include "report/text/ladder_table.h"

#include <sstream>

#include "catch.h"

using namespace kerlab;

namespace {

LadderRow timed(int rung, const std::string& name, double us, double step) {
  LadderRow row;
  row.rung = rung;
  row.name = name;
  row.trial.emplace();
  row.trial->status = TrialStatus::passed;
  row.trial->id = 7;
  row.trial->configuration = "BM=64 BN=64";
  row.trial->registers = 40;
  row.trial->shared_bytes = 8192;
  row.median_us = us;
  row.low_us = 0.99 * us;
  row.high_us = 1.01 * us;
  row.clock = ClockKind::measured;
  row.flops_per_s = 2e12 / us * 1e2;
  row.roof_fraction = 10 / us;
  row.occupancy = 0.5;
  row.step = step;
  return row;
}

std::vector<LadderRow> sample() {
  LadderRow best = timed(4, "smem_tile", 100, 1.25);
  best.kind = LadderRow::Kind::best;
  best.trial->configuration = "BM=128 BN=64";
  LadderRow refused;
  refused.rung = 7;
  refused.name = "async_tile";
  refused.reason = "has no bf16 (it has fp32)";
  LadderRow library;
  library.name = "cuBLASLt 13.0, its own pick";
  library.kind = LadderRow::Kind::library;
  library.median_us = 20;
  library.low_us = 19.5;
  library.high_us = 20.5;
  library.clock = ClockKind::measured;
  library.flops_per_s = 1e13;
  library.roof_fraction = 0.5;
  return {timed(0, "naive", 1000, 0), timed(4, "smem_tile", 125, 8), best, refused, library};
}

}  // namespace

TEST_CASE("ladder table: a line for every rung, its best below it, and why one has no time", "[report]") {
  CHECK(text_table(ladder_table(sample()), false, 2) ==
        "  rung  variant                      us [95 %]          TFLOP/s  % roof  step     regs  spill  smem    occ   "
        "verified  configuration\n"
        "  0     naive                        1000 [990,1010]    0.200    1.0     -        40    0      8.2 kB  50 %  "
        "yes       BM=64 BN=64\n"
        "  4     smem_tile                    125.0 [124,126]    1.60     8.0     8.00x    40    0      8.2 kB  50 %  "
        "yes       BM=64 BN=64\n"
        "          its best                   100.0 [99,101]     2.00     10      (1.25x)  40    0      8.2 kB  50 %  "
        "yes       BM=128 BN=64\n"
        "  7     async_tile                   -                  -        -       -        -     -      -       -     "
        "-         has no bf16 (it has fp32)\n"
        "        cuBLASLt 13.0, its own pick  20.00 [19.5,20.5]  10.0     50      -        -     -      -       -     "
        "-\n");
}

TEST_CASE("ladder table: what is tuned and what was predicted stand beside the step", "[report]") {
  auto rows = sample();
  rows[1].best_us = rows[2].median_us;
  rows[1].predicted_step = 7.5;
  const Table table = ladder_table(rows);
  CHECK(table.columns[5].title == "tuned");
  CHECK(table.columns[6].title == "predicted");
  CHECK(table.rows[1][5] == "100.0");
  CHECK(table.rows[1][6] == "7.50x");
  CHECK(table.rows[0][6] == "-");
  CHECK(csv_table(ladder_csv_table(rows)).find("best_us,predicted_step,step") != std::string::npos);
}

TEST_CASE("ladder table: modelled times are called so", "[report]") {
  auto rows = sample();
  for (LadderRow& row : rows) row.clock = ClockKind::modelled;
  const Table table = ladder_table(rows);
  CHECK(table.columns[2].title == "us modelled");
  CHECK(table.rows[0][2] == "1000");
}

TEST_CASE("ladder table: lines fit the terminal, Markdown and CSV hold every rung", "[report]") {
  auto rows = sample();
  for (int i = 0; i < 12; ++i) rows[1].trial->configuration += " STAGES=4 GROUP_M=8";
  for (const int width : {80, 100, 120, 200}) {
    const std::string text = text_table(ladder_table(rows, width), false, 2, width);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
    CHECK_THAT(text, Catch::Contains("STAGES=4") && Catch::Contains("fp32)"));
  }
  CHECK_THAT(markdown_table(ladder_table(sample())), Catch::Contains("| 4 | smem_tile | 125.0 [124,126] |"));
  const Table exact = ladder_csv_table(sample());
  REQUIRE(exact.rows.size() == 5);
  CHECK(csv_table({exact.columns, {exact.rows[2]}}) ==
        "rung,variant,which,us,low_us,high_us,clock,flops_per_s,roof_fraction,best_us,predicted_step,step,registers,"
        "spill_bytes,shared_bytes,"
        "occupancy,verified,configuration,trial,reason\n"
        "4,smem_tile,best,100,99,101,measured,2000000000000,0.1,,,1.25,40,0,8192,0.5,yes,BM=128 BN=64,7,\n");
  CHECK(exact.rows[4][2] == "library");
}
