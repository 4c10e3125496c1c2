#include "stats/samples.h"

#include <limits>
#include <numeric>

#include "catch.h"

using namespace kerlab;

namespace {
/// 1, 2, ..., n: order statistic k is k.
std::vector<double> ranks(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.rbegin(), values.rend(), 1.0);  // descending: the functions must sort
  return values;
}
}  // namespace

TEST_CASE("median: odd, even, one, none", "[stats]") {
  CHECK(median({3, 1, 2}) == 2.0);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7.0);
  CHECK_FALSE(median({}).has_value());
  CHECK_FALSE(median({1, std::numeric_limits<double>::quiet_NaN()}).has_value());
  CHECK_FALSE(median({1, std::numeric_limits<double>::infinity()}).has_value());
}

TEST_CASE("median absolute deviation ignores one outlier", "[stats]") {
  CHECK(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}) == 1.0);
  CHECK(median_absolute_deviation({10, 11, 12, 13, 1000}) == 1.0);
  CHECK_FALSE(median_absolute_deviation({}).has_value());
}

TEST_CASE("median interval: order statistics of the binomial table", "[stats]") {
  // Published ranks of the two-sided 95 % interval of a median.
  struct Row {
    int n, low, high;
  };
  for (const Row row : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{15, 4, 12}, Row{20, 6, 15},
                        Row{25, 8, 18}, Row{30, 10, 21}, Row{50, 18, 33}, Row{100, 40, 61}}) {
    CAPTURE(row.n);
    const auto interval = median_interval(ranks(row.n));
    REQUIRE(interval);
    CHECK(interval->low == row.low);
    CHECK(interval->high == row.high);
  }
}

TEST_CASE("median interval: few samples give minimum and maximum, many do not underflow", "[stats]") {
  for (int n = 1; n < 6; ++n) {
    const auto interval = median_interval(ranks(n));
    REQUIRE(interval);
    CHECK(interval->low == 1);
    CHECK(interval->high == n);
  }
  CHECK_FALSE(median_interval({}).has_value());
  const auto large = median_interval(ranks(10000));  // n/2 -+ 0.98 sqrt(n)
  REQUIRE(large);
  CHECK(large->low == Approx(4902).margin(1));
  CHECK(large->high == Approx(5099).margin(1));
  const auto wide = median_interval(ranks(20), 0.99);
  REQUIRE(wide);
  CHECK(wide->low == 4);
  CHECK(wide->high == 17);
}

TEST_CASE("summary carries every figure of a measurement", "[stats]") {
  const auto summary = summarize({12, 10, 11, 13, 14});
  REQUIRE(summary);
  CHECK(summary->median == 12);
  CHECK(summary->low == 10);
  CHECK(summary->high == 14);
  CHECK(summary->mad == 1);
  CHECK(summary->minimum == 10);
  CHECK(summary->count == 5);
  CHECK_FALSE(summarize({}).has_value());
}

TEST_CASE("paired ratio cancels a drift that both arms share", "[stats]") {
  std::vector<double> a, b;
  for (int i = 0; i < 9; ++i) {
    const double drift = 1 + 0.1 * i;
    a.push_back(2.0 * drift);
    b.push_back(1.0 * drift);
  }
  const auto ratio = paired_ratio(a, b);
  REQUIRE(ratio);
  CHECK(ratio->ratio == Approx(2.0));
  CHECK(ratio->interval.low == Approx(2.0));
  CHECK(ratio->interval.high == Approx(2.0));
  CHECK_FALSE(paired_ratio({1, 2}, {1}).has_value());
  CHECK_FALSE(paired_ratio({1, 2}, {1, 0}).has_value());
  CHECK_FALSE(paired_ratio({}, {}).has_value());
}
