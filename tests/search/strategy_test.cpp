#include "search/strategy.h"

#include <algorithm>
#include <set>

#include "catch.h"

using namespace kerlab;

namespace {
std::vector<std::size_t> drain(Strategy& strategy) {
  std::vector<std::size_t> asked;
  while (const auto candidate = strategy.ask()) asked.push_back(*candidate);
  return asked;
}
}  // namespace

TEST_CASE("search: exhaustive asks every candidate once, shuffled, the same for the same seed", "[search]") {
  const auto asked = drain(*make_exhaustive(100, 7));
  CHECK(std::set<std::size_t>(asked.begin(), asked.end()).size() == 100);
  CHECK(asked.size() == 100);
  CHECK_FALSE(std::is_sorted(asked.begin(), asked.end()));
  CHECK(asked == drain(*make_exhaustive(100, 7)));
  CHECK(asked != drain(*make_exhaustive(100, 8)));
}

TEST_CASE("search: random is a prefix of the shuffle, never longer than the space", "[search]") {
  const auto all = drain(*make_exhaustive(50, 3));
  const auto some = drain(*make_random(50, 10, 3));
  CHECK(some == std::vector<std::size_t>(all.begin(), all.begin() + 10));
  CHECK(drain(*make_random(5, 10, 3)).size() == 5);
}

TEST_CASE("search: finished once every candidate asked for was told, failures included", "[search]") {
  auto strategy = make_random(10, 2, 1);
  const auto first = *strategy->ask();
  const auto second = *strategy->ask();
  CHECK_FALSE(strategy->ask());
  CHECK_FALSE(strategy->finished());
  strategy->tell(first, 10.0);
  CHECK_FALSE(strategy->finished());
  strategy->tell(second, std::nullopt);
  CHECK(strategy->finished());
  CHECK(make_exhaustive(0, 1)->finished());
}

TEST_CASE("search: importance finds the parameter that decides", "[search]") {
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (const std::int64_t a : {1, 2, 4}) {
    for (const std::int64_t b : {1, 2}) {
      configurations.push_back({b, a});
      costs.push_back(100.0 / static_cast<double>(a) * (b == 2 ? 1.1 : 1.0));
    }
  }
  const auto importance = parameter_importance({"B", "A"}, configurations, costs);
  REQUIRE(importance.size() == 2);
  CHECK(importance[0].parameter == "A");
  CHECK(importance[0].share > 0.95);
  CHECK(importance[1].share == Approx(1.0 - importance[0].share));  // additive in the logarithm: nothing is left
}

TEST_CASE("search: importance of equal costs is zero, not NaN", "[search]") {
  const auto importance = parameter_importance({"A"}, {{1}, {2}}, {5.0, 5.0});
  CHECK(importance[0].share == 0.0);
  CHECK(parameter_importance({"A"}, {}, {})[0].share == 0.0);
}
