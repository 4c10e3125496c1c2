#include "cli/lab/watch_line.h"

#include "catch.h"
#include "report/form/table.h"

using namespace kerlab;

namespace {

Attempt attempt(std::int64_t save, double us, std::int64_t registers) {
  Attempt now;
  now.save = now.number = save;
  now.label = "reg2d BM=128";
  now.trial.status = TrialStatus::passed;
  now.trial.registers = registers;
  now.occupancy = 0.25;
  now.conflicts = 0;
  now.measurement = Measurement{};
  now.measurement->median_us = us;
  now.measurement->low_us = us - 1;
  now.measurement->high_us = us + 1;
  now.measurement->clock = ClockKind::modelled;
  return now;
}

std::string line(const Attempt& now, const Attempt* before = nullptr, int width = 120) {
  const std::vector<std::string> lines = watch_lines(now, before, 0.412, width, false);
  REQUIRE(lines.size() == 1);
  return lines.front();
}

}  // namespace

TEST_CASE("watch line: a modelled time says so, and has no interval", "[cli]") {
  Attempt now = attempt(7, 291.4, 96);
  CHECK(line(now) == "save 7  correct  291.4 us modelled  regs 96  conflicts 0  occ 25 %  0.41 s");
  now.beside = {{"last", 6, 310.9, 0.9373, 0.9373, 0.9373}, {"best", 3, 290.0, 1.0048, 1.0048, 1.0048}};
  CHECK_THAT(line(now), Catch::Contains("us modelled  -6.3 % vs last  +0.5 % vs best  regs"));
}

TEST_CASE("watch line: a measured time has its interval, and its ratios theirs", "[cli]") {
  Attempt now = attempt(7, 291.4, 96);
  now.measurement->clock = ClockKind::measured;
  now.conflicts.reset();
  now.beside = {{"last", 6, 310.9, 0.937, 0.93, 0.945}, {"best", 6, 310.9, 0.937, 0.93, 0.945}};
  CHECK(line(now) ==
        "save 7  correct  291.4 us [290,292]  -6.3 % [-7.0,-5.5] vs last and best  regs 96  occ 25 %  0.41 s");
}

TEST_CASE("watch line: figures are shown with what has changed", "[cli]") {
  const Attempt before = attempt(6, 300, 88);
  Attempt now = attempt(7, 291.4, 96);
  now.trial.spill_bytes = 64;
  now.conflicts = 12;
  now.occupancy = 0.5;
  CHECK_THAT(line(now, &before), Catch::Contains("regs 96 (+8)  spill 64 B (+64)  conflicts 12 (+12)  occ 50 % (+25)"));
  CHECK_THAT(line(before, &now), Catch::Contains("regs 88 (-8)  spill 0 B (-64)  conflicts 0 (-12)  occ 25 % (-25)"));
}

TEST_CASE("watch line: fits, leaving out what matters least", "[cli]") {
  const Attempt before = attempt(6, 300, 88);
  Attempt now = attempt(1234, 12291.4, 255);
  now.measurement->clock = ClockKind::measured;
  now.trial.spill_bytes = 6400;
  now.conflicts = 123456789;
  now.beside = {{"last", 6, 310.9, 1.937, 1.93, 1.945}, {"best", 3, 290, 2.0048, 1.99, 2.01}};
  for (const int width : {120, 80, 60, 40}) {
    CAPTURE(width);
    const std::string text = line(now, &before, width);
    CHECK(display_width(text) <= width);
    CHECK_THAT(text, Catch::StartsWith("save 1234  correct  12291 us"));
  }
  CHECK_THAT(line(now, &before, 80), Catch::Contains("vs last") && !Catch::Contains("conflicts"));
}

TEST_CASE("watch line: an error is told in the line, and whole below where it has no room", "[cli]") {
  Attempt now = attempt(8, 1, 1);
  now.measurement.reset();
  now.trial.status = TrialStatus::compile_error;
  now.first_error = "reg2d.cu:57:12: error: identifier \"x\" is undefined";
  CHECK(line(now) == "save 8  does not compile  reg2d.cu:57:12: error: identifier \"x\" is undefined  0.41 s");
  const std::vector<std::string> lines = watch_lines(now, nullptr, 0.412, 50, false);
  REQUIRE(lines.size() == 3);
  for (const std::string& one : lines) CHECK(display_width(one) <= 50);
  CHECK(lines[1] == "      reg2d.cu:57:12: error: identifier \"x\" is");
}

TEST_CASE("watch line: a wrong result says where first, then how many and in what pattern", "[cli]") {
  Attempt now = attempt(9, 1, 1);
  now.measurement.reset();
  now.trial.status = TrialStatus::wrong;
  RecipeReport wrong;
  wrong.recipe = "normal";
  wrong.output = "D";
  wrong.compared = 100;
  wrong.mismatches = 2;
  wrong.pattern = "every element of row 3";
  wrong.first = {{12, "[3, 0]", 2.5, 1.25, 0.001}};
  now.report.recipes = {wrong};
  const std::vector<std::string> lines = watch_lines(now, nullptr, 0.1, 120, false);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "save 9  wrong  D[3, 0]: got 2.5, expected 1.25 +- 0.001  0.10 s");
  CHECK(lines[1] == "      2 of 100 wrong (recipe normal); every element of row 3");
}

TEST_CASE("watch line: colour changes nothing else", "[cli]") {
  Attempt now = attempt(7, 291.4, 96);
  now.beside = {{"last", 6, 310.9, 0.9373, 0.9373, 0.9373}};
  std::string coloured = watch_lines(now, nullptr, 0.412, 120, true).front(), plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  CHECK(plain == line(now));
  CHECK(coloured != plain);
}
