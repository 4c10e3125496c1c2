#include "model/operations.h"

#include "catch.h"
#include "plan/counters.h"

using namespace kerlab;

TEST_CASE("operations: what is predicted or counted has a row, in the counters' order", "[model]") {
  Counts counted;
  counted.flops = 30;
  counted.global_load_bytes = 100;
  const auto rows = compare_operations({{"flops", 20}, {"barriers", 4}}, &counted);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "global_load_bytes");
  CHECK_FALSE(rows[0].predicted);
  CHECK_FALSE(rows[0].ratio());
  CHECK(rows[1].name == "flops");
  CHECK(rows[1].ratio() == Approx(1.5));
  CHECK(rows[2].counted == 0);  // predicted, and did not happen
  CHECK(rows[2].ratio() == Approx(0));
}

TEST_CASE("operations: without counts only the predictions", "[model]") {
  const auto rows = compare_operations({{"flops", 20}}, nullptr);
  REQUIRE(rows.size() == 1);
  CHECK_FALSE(rows[0].counted);
  CHECK_FALSE(rows[0].ratio());
  CHECK(Operations{rows, "", ""}.has_predictions());
}

TEST_CASE("operations: counts of some blocks are scaled to all, beyond what a product of 64 bits holds", "[model]") {
  Counts some;
  some.flops = 6'000'000'000'000'000;
  some.warp_instructions[0] = 7;
  const Counts all = scaled(some, 1024, 6);
  CHECK(all.flops == 1'024'000'000'000'000'000);
  CHECK(all.warp_instructions[0] == 1195);  // 7 * 1024 / 6 = 1194.7
  CHECK(scaled(some, 1024, 0).flops == 0);
}

TEST_CASE("counters: every sum of Counts has a name, and adding adds them all", "[model]") {
  Counts one;
  for (const Counter& counter : counters()) one.*counter.value = 1;
  CHECK(sizeof(Counts) == (2 * kPipes + counters().size()) * sizeof(std::int64_t));
  one += one;
  for (const Counter& counter : counters()) CHECK(one.*counter.value == 2);
  CHECK(find_counter("shared_wavefronts") != nullptr);
  CHECK(find_counter("wavefronts") == nullptr);
}
