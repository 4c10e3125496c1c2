#include "verify/explain.h"

#include <limits>

#include "catch.h"
#include "verify/check.h"

using namespace kerlab;

TEST_CASE("index becomes row-major coordinates", "[verify]") {
  CHECK(coordinates({16, 4096}, 12 * 4096 + 4095) == "[12, 4095]");
  CHECK(coordinates({2, 3, 4}, 23) == "[1, 2, 3]");
  CHECK(coordinates({}, 0) == "[]");
}

TEST_CASE("of complex numbers the part is told", "[verify][types]") {
  Tensor output{"D", DType::fp32, Role::output, {16, 8}};
  CHECK(place_in(output, 13) == "[1, 5]");
  output.complex = true;
  CHECK(place_in(output, 13) == "[1, 2].y");
  CHECK(place_in(output, 12) == "[1, 2].x");
}

TEST_CASE("a comparison is told in words", "[verify]") {
  const Tensor output{"D", DType::fp32, Role::output, {16, 4096}};
  Recipe recipe;
  lab::CompareReport found{};
  found.compared = 65536;
  found.sum_square_ratio = 65536 * 0.25;
  found.max_ratio = 0.5;
  found.worst_index = 8;
  RecipeReport report = explain(recipe, output, found);
  CHECK(report.passed);
  CHECK(report.rms_ratio == Approx(0.5));
  CHECK(report.worst_index == 7);
  CHECK(report.detail.empty());

  found.mismatches = 3;
  found.worst_index = 12 * 4096 + 4095 + 1;
  found.worst_got = 3.5, found.worst_expected = 3.25, found.worst_tolerance = 0.01;
  report = explain(recipe, output, found);
  CHECK_FALSE(report.passed);
  CHECK(report.detail == "[12, 4095]: got 3.5, expected 3.25 +- 0.01");
  recipe.exact = true;
  CHECK(explain(recipe, output, found).detail == "[12, 4095]: got 3.5, expected exactly 3.25");
}

TEST_CASE("an output that was not compared whole does not pass", "[verify]") {
  const Tensor output{"D", DType::fp32, Role::output, {10}};
  lab::CompareReport found{};
  found.compared = 9;
  CHECK_FALSE(explain({}, output, found).passed);
  CHECK(explain({}, output, found).detail == "9 of 10 elements were compared");
  const Tensor empty{"D", DType::fp32, Role::output, {10, 0}};
  CHECK(explain({}, empty, {}).passed);
}

TEST_CASE("where every expected value is NaN, nothing was checked", "[verify]") {
  const Tensor output{"D", DType::fp32, Role::output, {64, 16}};
  lab::CompareReport found{};
  found.compared = found.expected_nans = 1024;
  const RecipeReport report = explain({}, output, found);
  CHECK_FALSE(report.passed);
  CHECK(report.cause == Cause::nan);
  CHECK_THAT(report.detail, Catch::Contains("all 1024 expected values are NaN"));
  found.expected_nans = 1023;
  CHECK(explain({}, output, found).passed);
  Recipe planted;
  planted.plants.emplace_back();
  found.expected_nans = 1024;
  CHECK(explain(planted, output, found).passed);
  found.compared = found.expected_nans = 3;  // of an edge
  CHECK(explain({}, Tensor{"D", DType::fp32, Role::output, {3}}, found).passed);
}

TEST_CASE("runs that differ bit by bit fail, unless the variant says so", "[verify]") {
  RecipeReport report;
  report.passed = true;
  report.runs = 10;
  judge_repeats(report, 0, false);
  CHECK(report.passed);
  RecipeReport declared = report;
  judge_repeats(declared, 3, true);
  CHECK(declared.passed);
  CHECK(declared.detail == "3 of 9 runs differ from the first bit by bit, as the variant says");
  judge_repeats(report, 3, false);
  CHECK_FALSE(report.passed);
  CHECK(report.cause == Cause::rerun);
  CHECK_THAT(report.detail, Catch::Contains("3 of 9 runs with the same inputs differ") &&
                                Catch::Contains("nondeterministic = \"why\""));
}

TEST_CASE("a failed comparison says by what", "[verify]") {
  const Tensor output{"D", DType::bf16, Role::output, {10}};
  lab::CompareReport found{};
  found.compared = 10;
  found.mismatches = 1;
  CHECK(explain({}, output, found).cause == Cause::bound);
  CHECK(name(explain({}, output, found).cause) == "bound");
  Recipe exact;
  exact.exact = true;
  CHECK(explain(exact, output, found).cause == Cause::exact);
  found.nans = 1;
  CHECK(explain(exact, output, found).cause == Cause::nan);
  found = {};
  CHECK(explain({}, output, found).cause == Cause::incomplete);
}

TEST_CASE("what a kernel leaves as it was differs with the poison, and is no difference between runs", "[verify]") {
  const std::uint32_t poisons[] = {kPoisonNan, kPoisonFinite, kPoisonNan, kPoisonNan};
  const std::uint64_t free_places[] = {7, 8, 7, 7};
  CHECK(different_runs(free_places, poisons, true) == 0);
  CHECK(different_runs(free_places, poisons, false) == 1);
  const std::uint64_t race[] = {7, 8, 7, 9};
  CHECK(different_runs(race, poisons, true) == 1);
  CHECK(different_runs(race, poisons, false) == 2);
}
