#include "report/text/tune_table.h"

#include <set>
#include <sstream>

#include "catch.h"
#include "report/text/configuration_columns.h"

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
  second.trial.configuration = "BM=128 BN=192 BK=64 ST=4";
  second.median_us = 292.0;
  second.low_us = 291;
  second.flops_per_s = 470.7e12;
  second.trial.registers = 176;
  return {first, second};
}
}  // namespace

TEST_CASE("tune table: the screen of the design", "[report]") {
  CHECK(text_table(tune_table(sample()), false, 2) ==
        "  #   us [95 %]        TFLOP/s  % roof  regs  spill  smem     occ   err/bound  configuration\n"
        "  1   291.4 [290,293]  471.6    48      168   0      98.3 kB  25 %  0.21       mma_pipe BM=128 BN=256 BK=64 "
        "ST=4\n"
        "  2=  292.0 [291,293]  470.7    48      176   0      98.3 kB  25 %  0.21       mma_pipe BM=128 BN=192 BK=64 "
        "ST=4 (tie: 0.2 %, more registers)\n");
}

TEST_CASE("tune table: a column for what differs, what is common once below", "[report]") {
  auto rows = sample();
  rows[1].note.clear();
  CHECK(tune_text(rows, false, 0) ==
        "  #   us [95 %]        TFLOP/s  % roof  BN   regs  spill  smem     occ   err/bound\n"
        "  1   291.4 [290,293]  471.6    48      256  168   0      98.3 kB  25 %  0.21\n"
        "  2=  292.0 [291,293]  470.7    48      192  176   0      98.3 kB  25 %  0.21\n"
        "  all: BM=128 BK=64 ST=4\n");
  rows.push_back(rows[1]);
  rows[0].timed = rows[1].timed = "finals";
  rows[2].rank = 3;
  rows[2].tied = false;
  rows[2].timed = "sweep";
  rows[2].low_us = rows[2].high_us = 0;
  rows[2].trial.variant = "naive";
  rows[2].trial.configuration = "BLOCK=16 BN=32";
  CHECK(tune_text(rows, false, 0) ==
        "  #   us [95 %]        TFLOP/s  % roof  timed   variant   BN   regs  spill  smem     occ   err/bound\n"
        "  1   291.4 [290,293]  471.6    48      finals  mma_pipe  256  168   0      98.3 kB  25 %  0.21\n"
        "  2=  292.0 [291,293]  470.7    48      finals  mma_pipe  192  176   0      98.3 kB  25 %  0.21\n"
        "  3   292.0            470.7    48      sweep   naive     32   176   0      98.3 kB  25 %  0.21\n"
        "  naive: BLOCK=16\n");
}

TEST_CASE("tune table: a memory-bound problem has GB/s", "[report]") {
  auto rows = sample();
  for (TuneRow& row : rows) {
    row.memory_bound = true;
    row.bytes_per_s = 3012.4e9;
  }
  const Table table = tune_table(rows);
  CHECK(table.columns[2].title == "GB/s");
  CHECK(table.rows[0][2] == "3012");
  CHECK(rate_with_unit(1e12, 3012.4e9, true) == "3.01 TB/s");
  CHECK(rate_with_unit(471.6e12, 1, false) == "471.6 TFLOP/s");
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
  CHECK(table.columns[1].title == "us modelled");
  CHECK(table.columns[2].title == "TFLOP/s");  // a model does not scatter: its times say it all
  CHECK(table.rows[1][1] == "292.0");
}

namespace {
/// Ten of three variants with many parameters.
std::vector<TuneRow> many() {
  std::vector<TuneRow> rows;
  for (int i = 0; i < 10; ++i) {
    TuneRow row = sample()[0];
    row.rank = i + 1;
    row.timed = i < 4 ? "finals" : "sweep";
    row.median_us += i;
    row.modelled = true;
    row.trial.variant = i % 3 == 0 ? "hopper" : i % 3 == 1 ? "wgmma_split" : "wgmma_turns";
    row.trial.configuration = "BM=" + std::to_string(64 + 16 * i) + " BN=" + std::to_string(256 - 16 * i) + " BK=64";
    for (int p = 0; p < 8; ++p)
      row.trial.configuration += " PARAMETER_" + std::to_string(p) + "=" + std::to_string(i % (p + 2));
    if (i % 3 == 0) row.trial.configuration += " STREAM=1";
    if (i % 3 == 1) row.trial.configuration += " SPLIT=2";
    rows.push_back(row);
  }
  return rows;
}
}  // namespace

TEST_CASE("tune table: at every width no line is longer, no word is broken, no two rows are alike", "[report]") {
  for (const int width : {80, 100, 120, 200}) {
    const std::string text = tune_text(many(), false, width);
    std::istringstream lines(text);
    std::set<std::string> seen;
    for (std::string line; std::getline(lines, line);) {
      INFO(width << ": " << line);
      CHECK(display_width(line) <= width);
      if (line.size() > 3 && line[2] != ' ') CHECK(seen.insert(line.substr(4)).second);
    }
    INFO(text);
    for (int i = 0; i < 10; ++i) CHECK_THAT(text, Catch::Contains(std::to_string(256 - 16 * i)));
    CHECK_THAT(text, Catch::Contains("all: BK=64; wgmma_split: SPLIT=2") && !Catch::Contains("STREAM"));
    CHECK((text.find("err/bound") != std::string::npos) == (width == 200));
  }
  CHECK_THAT(tune_text(sample(), false, 80), Catch::Contains("BN   regs"));  // columns, while they fit
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

TEST_CASE("configuration columns: whose value it is, where others have none", "[report]") {
  const ConfigurationColumns columns =
      configuration_columns({{"a", "X=1 Y=2 Z=3"}, {"a", "X=1 Y=3 Z=3"}, {"b", "X=1 Z=4 W=5"}, {"c", "X=1 W=5"}});
  CHECK(columns.variants_differ);
  CHECK(columns.names == std::vector<std::string>{"Y", "Z"});
  CHECK(columns.cells[0] == std::vector<std::string>{"2", "3"});
  CHECK(columns.cells[2] == std::vector<std::string>{"", "4"});
  CHECK(columns.cells[3] == std::vector<std::string>{"", ""});
  using Common = std::vector<std::pair<std::string, std::string>>;
  CHECK(columns.common == Common{{"all", "X=1"}, {"b, c", "W=5"}});
  CHECK(configuration_columns({{"a", ""}}).names.empty());
}

TEST_CASE("median with interval: digits that tell the ends apart", "[report]") {
  CHECK(median_with_interval(291.4, 290.2, 293.1) == "291.4 [290,293]");
  CHECK(median_with_interval(291.4, 291.2, 291.3) == "291.4 [291.2,291.3]");
  CHECK(median_with_interval(5.1234, 5.1, 5.2) == "5.123 [5.10,5.20]");
  CHECK(median_with_interval(18934, 18900, 19000) == "18934 [18900,19000]");
  CHECK(median_with_interval(5.792, 5.792, 5.792) == "5.792");
}
