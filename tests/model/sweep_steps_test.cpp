// Neighbours of a recorded sweep, and how well their modelled ratios agree.
#include "model/sweep_steps.h"

#include "catch.h"
#include "model/what_if.h"

using namespace kerlab;

namespace {

Sweep sweep() {
  Sweep sweep;
  sweep.points = {{"BM=64 ST=2", 100},          {"BM=64 ST=4", 80},   {"BM=128 ST=2", 90},
                  {"BM=128 ST=4", 0, "spills"}, {"BM=256 ST=2", 120}, {"BM=256 ST=4", 70, "", 0, true}};
  return sweep;
}

}  // namespace

TEST_CASE("steps: pairs differ in one parameter by its next value", "[model]") {
  // ST of BM=64; BM 64 to 128 and 128 to 256 of ST=2. What failed, and twins, are none.
  const std::vector<PointPair> pairs = step_pairs(sweep(), 0);
  CHECK(pairs == std::vector<PointPair>{{0, 2}, {0, 1}, {2, 4}});
  // One anchor: the first point's.
  CHECK(step_pairs(sweep(), 1) == std::vector<PointPair>{{0, 2}, {0, 1}});
}

TEST_CASE("steps: a sweep of nothing but the pairs", "[model]") {
  std::vector<PointPair> pairs = {{4, 2}, {2, 0}};
  const Sweep part = only_steps(sweep(), pairs);
  REQUIRE(part.points.size() == 3);
  CHECK(part.points[0].configuration == "BM=256 ST=2");
  CHECK(pairs == std::vector<PointPair>{{0, 1}, {1, 2}});
}

TEST_CASE("steps: directions and errors of ratios", "[model]") {
  // Clear are 0.8, 1.2 and 0.5: of these the model has the first two right.
  const StepScore result = step_score({{0.8, 0.9}, {1.2, 1.1}, {0.5, 1.1}, {1.01, 0.9}});
  CHECK(result.steps == 4);
  CHECK(result.clear == 3);
  CHECK(result.right == Approx(2.0 / 3));
  CHECK(result.low == Approx(1.1 / 1.2 - 1).margin(0.03));
  CHECK(result.high > 1);  // 1.1 / 0.5 - 1
  CHECK(step_score({}).steps == 0);
}

TEST_CASE("what if: the timed ratio counts, and failures come last", "[model]") {
  std::vector<WhatIf> list(3);
  list[0].parameter = "failed";
  list[1].parameter = "slow when timed";
  list[1].ratio = 0.5;
  list[1].timed = TimedRatio{1.5, 1.4, 1.6, 7, "H200", ClockKind::measured, true};
  list[2].parameter = "modelled";
  list[2].ratio = 0.9;
  sort_by_ratio(list);
  CHECK(list[0].parameter == "modelled");
  CHECK(list[1].parameter == "slow when timed");
  CHECK(list[2].parameter == "failed");
}
