#include "report/tune_table.h"

#include <sstream>

#include "catch.h"

using namespace kerlab;

namespace {
std::vector<TuneRow> sample() {
  TuneRow first;
  first.rank = 1;
  first.median_us = 291.4;
  first.low_us = 290;
  first.high_us = 293;
  first.flops_per_s = 471.6e12;
  first.roof_fraction = 0.477;
  first.occupancy = 0.25;
  first.trial.variant = "mma_pipe";
  first.trial.configuration = "BM=128 BN=256 BK=64 ST=4";
  first.trial.registers = 168;
  first.trial.shared_bytes = 96 * 1024;
  first.trial.error_ratio = 0.21;
  TuneRow second = first;
  second.rank = 2;
  second.tied = true;
  second.note = "tie: 0.2 %, more registers";
  second.median_us = 292.0;
  second.low_us = 291;
  second.flops_per_s = 470.7e12;
  second.trial.registers = 176;
  return {first, second};
}
}  // namespace

TEST_CASE("tune table: the screen of the design", "[report]") {
  CHECK(tune_text(sample(), false, 0) ==
        "  #   us [95 %]        TFLOP/s  % roof  regs  spill  smem  occ  err/bound  configuration\n"
        "  1   291.4 [290,293]  471.6    48      168   0      96K   25%  0.21       mma_pipe BM=128 BN=256 BK=64 ST=4\n"
        "  2=  292.0 [291,293]  470.7    48      176   0      96K   25%  0.21       mma_pipe BM=128 BN=256 BK=64 ST=4 "
        "(tie: 0.2 %, more registers)\n");
}

TEST_CASE("tune table: who is faster is said by rounds that both had", "[report]") {
  auto rows = sample();
  rows[0].versus_first = PairedRatio{1, {1, 1}};
  rows[1].versus_first = PairedRatio{1.0021, {0.9987, 1.0049}};
  rows.push_back(rows[1]);
  rows[2].rank = 3;
  rows[2].derived = true;
  rows[2].median_us = 294.3;
  rows[2].versus_first = PairedRatio{1.01, {1.008, 1.012}};
  Table table = tune_table(rows);
  REQUIRE(table.columns[2].title == "vs #1 [95 %]");
  CHECK(table.rows[0][2] == "1");
  CHECK(table.rows[1][2] == "1.002 [0.999,1.005]");
  CHECK(table.rows[2][1] == "~294.3");
  for (TuneRow& row : rows) row.modelled = true;
  table = tune_table(rows);
  CHECK(table.columns[2].title == "vs #1");
  CHECK(table.rows[1][2] == "1.002");  // a model does not scatter
}

TEST_CASE("tune table: the library's column is there when there is something to say", "[report]") {
  auto rows = sample();
  rows[0].versus_library = PairedRatio{0.66, {0.65, 0.66}};
  const Table table = tune_table(rows);
  CHECK(table.columns[3].title == "vs cuBLASLt");
  CHECK(table.rows[0][3] == "0.66 [.65,.66]");
  CHECK(table.rows[1][3] == "-");
  CHECK(tune_table(sample()).columns[3].title == "% roof");
}

TEST_CASE("tune table: lines fit the terminal, and keep the note", "[report]") {
  std::istringstream lines(tune_text(sample(), false, 120));
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 120);
  const std::string narrow = tune_text(sample(), false, 110);  // says which, in place of what it takes
  CHECK_THAT(narrow, Catch::Contains("mma_pipe BM=128 BN=256 BK=64 ST=4 (tie: 0.2 %, more registers)") &&
                         !Catch::Contains("err/bound"));
  CHECK_THAT(tune_text(sample(), false, 90), Catch::Contains("... (tie: 0.2 %, more registers)"));
}

TEST_CASE("tune table: what is not known is a dash", "[report]") {
  TuneRow row;
  row.rank = 1;
  row.median_us = row.low_us = row.high_us = 5;
  const auto cells = tune_table({row}).rows[0];
  CHECK(cells[2] == "-");
  CHECK(cells[3] == "-");
  CHECK(cells[7] == "-");
}

TEST_CASE("median with interval: digits that tell the ends apart", "[report]") {
  CHECK(median_with_interval(291.4, 290.2, 293.1) == "291.4 [290,293]");
  CHECK(median_with_interval(291.4, 291.2, 291.3) == "291.4 [291.2,291.3]");
  CHECK(median_with_interval(5.1234, 5.1, 5.2) == "5.123 [5.10,5.20]");
  CHECK(median_with_interval(18934, 18900, 19000) == "18934 [18900,19000]");
}
