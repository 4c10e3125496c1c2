#include "search/strategy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "catch.h"
#include "search/other_values.h"
#include "search/replay.h"

using namespace kerlab;

namespace {

std::vector<std::size_t> drain(Strategy& strategy, std::size_t most = 7) {
  std::vector<std::size_t> asked;
  for (auto batch = strategy.ask(most); !batch.empty(); batch = strategy.ask(most)) {
    CHECK(batch.size() <= most);
    asked.insert(asked.end(), batch.begin(), batch.end());
  }
  return asked;
}

SearchOptions seeded(std::uint64_t seed, std::size_t trials = 0) {
  SearchOptions options;
  options.seed = seed;
  options.trials = trials;
  return options;
}

/// A space as kernels have them: tiles that must not be too large together, switches, a group; costs with interactions,
/// a narrow best region, and ruggedness that does not average out. Some configurations fail.
struct Landscape {
  std::vector<Configuration> first, second;
  std::vector<std::optional<double>> costs;
  explicit Landscape(std::uint64_t seed) {
    for (const int m : {16, 32, 64, 128, 256})
      for (const int n : {16, 32, 64, 128, 256})
        for (const int k : {8, 16, 32, 64})
          for (const int stages : {2, 3, 4, 5, 6})
            for (const int swizzle : {0, 1})
              if ((m + n) * k * stages <= 49152) add(m, n, k, stages, swizzle, seed);
    for (const int m : {16, 32, 64, 128, 256})
      for (const int n : {16, 32, 64, 128, 256}) {
        second.push_back({{m, n}});
        costs.emplace_back(250 + n);
      }
  }
  void add(int m, int n, int k, int stages, int swizzle, std::uint64_t seed) {
    const double tile = std::log2(m * n / 8192.0);
    const double square = std::log2(static_cast<double>(m) / n);
    const double depth = std::log2(k * stages / 128.0);
    double cost = 100 + 9 * tile * tile + 5 * square * square + 6 * depth * depth + 12 * std::abs(tile - depth);
    if ((k >= 32) != (swizzle == 1)) cost += 25;
    std::uint64_t state = seed * 1000003 + first.size();
    cost *= 1 + 0.06 * (static_cast<double>(random_below(state, 1000)) / 1000);
    first.push_back({{m, n, k, stages, swizzle}});
    costs.emplace_back(cost);
    if (m == 256 && n == 256 && stages > 3) costs.back() = std::nullopt;
  }
  [[nodiscard]] SearchSpace space() const {
    SearchSpace::Part one{"one", {"BM", "BN", "BK", "STAGES", "SWIZZLE"}, &first, {}};
    SearchSpace::Part two{"two", {"BM", "BN"}, &second, {}};
    return SearchSpace({one, two});
  }
};

/// Evaluations until the very best, sum over the seeds.
std::size_t evaluations(const std::string& strategy, std::size_t batch, double share) {
  std::size_t sum = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Landscape landscape(seed % 5);
    SearchSpace space = landscape.space();
    sum += replay(*make_strategy(strategy, space, seeded(seed)), landscape.costs, {share}, batch).evaluations[0];
  }
  return sum;
}

}  // namespace

TEST_CASE("search: exhaustive asks every candidate once, shuffled, the same for the same seed", "[search]") {
  const auto asked = drain(*make_exhaustive(100, seeded(7)));
  CHECK(std::set<std::size_t>(asked.begin(), asked.end()).size() == 100);
  CHECK(asked.size() == 100);
  CHECK_FALSE(std::is_sorted(asked.begin(), asked.end()));
  CHECK(asked == drain(*make_exhaustive(100, seeded(7)), 64));
  CHECK(asked != drain(*make_exhaustive(100, seeded(8))));
}

TEST_CASE("search: random is a prefix of the shuffle, never longer than the space", "[search]") {
  const auto all = drain(*make_exhaustive(50, seeded(3)));
  const auto some = drain(*make_exhaustive(50, seeded(3, 10)));
  CHECK(some == std::vector<std::size_t>(all.begin(), all.begin() + 10));
  CHECK(drain(*make_exhaustive(5, seeded(3, 10))).size() == 5);
}

TEST_CASE("search: ended once every candidate asked for was told, failures included", "[search]") {
  auto strategy = make_exhaustive(10, seeded(1, 2));
  const auto asked = strategy->ask(5);
  REQUIRE(asked.size() == 2);
  CHECK(strategy->ask(5).empty());
  CHECK(strategy->ended().empty());
  strategy->tell(asked[0], 10.0);
  CHECK(strategy->ended().empty());
  strategy->tell(asked[1], std::nullopt);
  CHECK(strategy->ended() == "2 trials");
  CHECK(make_exhaustive(0, seeded(1))->ended() == "every configuration was tried");
}

TEST_CASE("search: patience ends a search that finds nothing better", "[search]") {
  SearchOptions options = seeded(1);
  options.patience = 5;
  auto strategy = make_exhaustive(100, options);
  double cost = 10;
  for (int trial = 1; trial <= 8; ++trial) {
    const auto asked = strategy->ask(1);
    REQUIRE(asked.size() == 1);
    cost = trial == 3 ? 5 : 10;  // the third is the best
    strategy->tell(asked[0], cost);
  }
  CHECK(strategy->ask(1).empty());
  CHECK(strategy->ended() == "no better one in 5 trials");
}

TEST_CASE("search: what is known before counts, and is not asked for", "[search]") {
  const Landscape landscape(1);
  SearchSpace space = landscape.space();
  for (const char* name : {"random", "local", "surrogate"}) {
    INFO(name);
    auto strategy = make_strategy(name, space, seeded(1, 40));
    std::set<std::size_t> known;
    for (std::size_t i = 0; i < 30; ++i) {
      known.insert(3 * i);
      strategy->tell(3 * i, landscape.costs[3 * i]);
    }
    std::size_t more = 0;
    for (auto batch = strategy->ask(4); !batch.empty(); batch = strategy->ask(4))
      for (const std::size_t candidate : batch) {
        ++more;
        CHECK_FALSE(known.contains(candidate));
        strategy->tell(candidate, landscape.costs[candidate]);
      }
    CHECK(more == 10);
    CHECK(strategy->ended() == "40 trials");
  }
}

TEST_CASE("search: every strategy ends, asks nothing twice, and repeats itself by seed", "[search]") {
  const Landscape landscape(2);
  SearchSpace space = landscape.space();
  for (const char* name : {"random", "local", "surrogate"}) {
    const auto run = [&](std::uint64_t seed) {
      auto strategy = make_strategy(name, space, seeded(seed));
      std::vector<std::size_t> asked;
      for (auto batch = strategy->ask(8); !batch.empty(); batch = strategy->ask(8))
        for (const std::size_t candidate : batch) {
          asked.push_back(candidate);
          // Told late, and one in ten fails.
          strategy->tell(candidate, candidate % 10 == 3 ? std::nullopt : landscape.costs[candidate]);
          if (asked.size() == 150) return asked;
        }
      return asked;
    };
    INFO(name);
    const auto asked = run(5);
    CHECK(asked.size() == 150);
    CHECK(std::set<std::size_t>(asked.begin(), asked.end()).size() == asked.size());
    CHECK(asked == run(5));
    CHECK(asked != run(6));
  }
}

TEST_CASE("search: a batch is not told before the next is asked for", "[search]") {
  const Landscape landscape(2);
  SearchSpace space = landscape.space();
  for (const char* name : {"local", "surrogate"}) {
    INFO(name);
    auto strategy = make_strategy(name, space, seeded(1));
    std::vector<std::size_t> pending;
    std::set<std::size_t> asked;
    for (int round = 0; round < 30; ++round) {
      for (const std::size_t candidate : strategy->ask(6)) {
        CHECK(asked.insert(candidate).second);
        pending.push_back(candidate);
      }
      if (pending.empty()) break;
      strategy->tell(pending.front(), landscape.costs[pending.front()]);
      pending.erase(pending.begin());
    }
    CHECK(asked.size() >= 30);
  }
}

TEST_CASE("search: local and surrogate find the best in far fewer evaluations than random", "[search]") {
  const std::size_t random = evaluations("random", 8, 0.99);
  const std::size_t local = evaluations("local", 8, 0.99);
  const std::size_t surrogate = evaluations("surrogate", 8, 0.99);
  INFO(random << " " << local << " " << surrogate);
  CHECK(2 * local < random);
  CHECK(4 * surrogate < random);
  CHECK(surrogate < local);
}

TEST_CASE("search: each variant has its share at first", "[search]") {
  const Landscape landscape(3);
  SearchSpace space = landscape.space();
  auto strategy = make_surrogate(space, seeded(4));
  std::vector<std::size_t> of_variant(2);
  for (const std::size_t candidate : strategy->ask(16)) ++of_variant[space.variant_of(candidate)];
  CHECK(of_variant[0] >= 6);
  CHECK(of_variant[1] >= 6);
}

TEST_CASE("search: the neighbours of the best are all tried at the end", "[search]") {
  const Landscape landscape(4);
  SearchSpace space = landscape.space();
  SearchOptions options = seeded(2);
  options.patience = 30;
  auto strategy = make_surrogate(space, options);
  std::set<std::size_t> tried;
  std::size_t best = space.size();
  for (auto batch = strategy->ask(8); !batch.empty(); batch = strategy->ask(8))
    for (const std::size_t candidate : batch) {
      tried.insert(candidate);
      const auto& cost = landscape.costs[candidate];
      strategy->tell(candidate, cost);
      if (cost && (best == space.size() || *cost < *landscape.costs[best])) best = candidate;
    }
  CHECK(tried.size() < space.size() / 2);
  for (const std::size_t neighbour : space.neighbours(best)) CHECK(tried.contains(neighbour));
  CHECK_THAT(strategy->ended(), Catch::Contains("no better one in"));
}

TEST_CASE("search: neighbours differ in one parameter, or in two where these are few", "[search]") {
  const std::vector<Configuration> points = {{{1, 1, 1}}, {{1, 1, 2}}, {{2, 1, 1}}, {{1, 2, 1}},
                                             {{2, 2, 2}}, {{9, 8, 1}}, {{3, 1, 1}}};
  SearchSpace space({{"v", {"A", "B", "C"}, &points, {}}});
  CHECK(space.neighbours(0) == std::vector<std::size_t>{2, 6, 3, 1});
  CHECK(space.neighbours(4) == std::vector<std::size_t>{1, 2, 3});  // two steps: none is one away
  CHECK(space.columns() == 3);
}

TEST_CASE("search: values that none of the best has are drawn, those tried least most often", "[search]") {
  std::vector<Configuration> points;
  for (const int a : {1, 2, 3, 4})
    for (const int b : {0, 1}) points.push_back({{a, b}});
  std::vector<double> sums;
  for (const Configuration& point : points) sums.push_back(static_cast<double>(point.values[0] + point.values[1]));
  const SearchSpace space({{"v", {"A", "B"}, &points, {{"sum", sums}}}});
  OtherValues others(space, {0, 1});                                        // A=1 B=0, A=1 B=1: both values of B
  for (int i = 0; i < 9; ++i) others.tried(2);                              // A=2
  for (const std::size_t candidate : {2, 3, 4}) others.offered(candidate);  // A=2, A=2, A=3
  std::uint64_t random = 1;
  std::map<std::uint8_t, int> drawn;
  for (int i = 0; i < 1000; ++i) {
    const auto value = others.draw(random);
    REQUIRE(value);
    REQUIRE(space.is_parameter(value->column));
    ++drawn[value->cell];
    CHECK(value->column == space.columns() - 3);  // A: columns are sorted by name, and "sum" is none of a parameter
  }
  REQUIRE(drawn.size() == 2);          // of A: not 1, which the best have, nor 4, which nobody offers
  CHECK(drawn.begin()->second < 200);  // 2, tried nine times, beside 3
  CHECK_FALSE(OtherValues(space, {0, 2, 4, 6, 1}).draw(random));
}

TEST_CASE("search: a space of some of many grows around what is looked at", "[search]") {
  // All of 20 x 20 x 20 but A + B > 30; one in forty is listed.
  std::vector<Configuration> listed;
  for (std::int64_t i = 0; i < 8000; i += 41)
    if (i / 400 + i / 20 % 20 <= 30) listed.push_back({{i / 400, i / 20 % 20, i % 20}});
  std::vector<Configuration> admitted;
  const auto cost = [](const std::vector<std::int64_t>& v) {
    return 100.0 + static_cast<double>((v[0] - 7) * (v[0] - 7) + (v[1] - 12) * (v[1] - 12) + (v[2] - 3) * (v[2] - 3));
  };
  SearchSpace::Part part{"v", {"A", "B", "C"}, &listed, {{"sum", {}}}};
  for (const Configuration& c : listed)
    part.features[0].values.push_back(static_cast<double>(c.values[0] + c.values[1]));
  part.admit = [&](const Configuration& c) { admitted.push_back(c); };
  part.look_at = [](const Configuration& c) -> std::optional<std::vector<double>> {
    if (c.values[0] + c.values[1] > 30) return std::nullopt;
    return std::vector<double>{static_cast<double>(c.values[0] + c.values[1])};
  };
  SearchSpace space({part});
  CHECK(space.neighbours(0).size() == 57);
  CHECK(space.neighbours(0) == space.neighbours(0));
  CHECK(space.size() == listed.size() + admitted.size());
  CHECK(space.find_or_admit(0, {19, 19, 0}) == std::nullopt);
  CHECK(space.columns() == 4);
  for (std::size_t i = 0; i < admitted.size(); ++i) REQUIRE(space.values_of(listed.size() + i) == admitted[i].values);
  CHECK(*std::min_element(space.row(listed.size()).begin(), space.row(listed.size()).end()) >= 1);
  // The best is not listed: only the neighbours of what was found lead there.
  CHECK(std::find(listed.begin(), listed.end(), Configuration{{7, 12, 3}}) == listed.end());
  for (const char* name : {"local", "surrogate"}) {
    INFO(name);
    SearchOptions options = seeded(3, 300);
    auto strategy = make_strategy(name, space, options);
    double best = 1e9;
    for (auto batch = strategy->ask(8); !batch.empty(); batch = strategy->ask(8))
      for (const std::size_t candidate : batch) {
        best = std::min(best, cost(space.values_of(candidate)));
        strategy->tell(candidate, cost(space.values_of(candidate)));
      }
    CHECK(best == 100);
  }
}

TEST_CASE("search: hundreds of variants with one configuration each beside one with many: each has its turn",
          "[search]") {
  const std::vector<Configuration> one{{{0}}};
  std::vector<Configuration> many;
  for (int i = 0; i < 5'000; ++i) many.push_back({{i % 200, i / 200}});
  std::vector<SearchSpace::Part> parts{{"many", {"A", "B"}, &many, {}}};
  for (int v = 0; v < 600; ++v) parts.push_back({"v" + std::to_string(v), {"C"}, &one, {}});
  SearchSpace space(parts);
  const auto strategy = make_surrogate(space, seeded(1, 700));
  std::set<std::size_t> variants;
  for (int i = 0; i < 700; ++i) {
    const auto asked = strategy->ask(1);
    REQUIRE(asked.size() == 1);
    if (i < 601) CHECK(variants.insert(space.variant_of(asked[0])).second);
    if (i >= 601) CHECK(space.variant_of(asked[0]) == 0);
    strategy->tell(asked[0], 100.0);
  }
  CHECK(strategy->ended() == "700 trials");
}

TEST_CASE("search: importance finds the parameter that decides", "[search]") {
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (const std::int64_t a : {1, 2, 4}) {
    for (const std::int64_t b : {1, 2}) {
      // Many times: of six costs alone the tenth that B is worth could be chance.
      configurations.insert(configurations.end(), 100, {b, a});
      costs.insert(costs.end(), 100, 100.0 / static_cast<double>(a) * (b == 2 ? 1.1 : 1.0));
    }
  }
  const auto importance = parameter_importance({"B", "A"}, configurations, costs);
  REQUIRE(importance.size() == 2);
  CHECK(importance[0].parameter == "A");
  CHECK(importance[0].share > 0.95);
  CHECK(importance[1].share > 0.005);
  CHECK(importance[1].share == Approx(1.0 - importance[0].share).margin(0.003));  // additive in the logarithm
}

TEST_CASE("search: a parameter whose values were tried once each explains nothing", "[search]") {
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (std::int64_t i = 0; i < 32; ++i) {
    configurations.push_back({i % 2, i});
    costs.push_back((i % 2 == 0 ? 5.0 : 9.0) + 0.01 * static_cast<double>(i));
  }
  const auto importance = parameter_importance({"A", "B"}, configurations, costs);
  REQUIRE(importance.size() == 2);
  CHECK(importance[0].parameter == "A");
  CHECK(importance[0].share > 0.9);
  CHECK(importance[1].share == 0.0);
}

TEST_CASE("search: importance of equal costs is zero, not NaN", "[search]") {
  const std::vector<std::vector<std::int64_t>> configurations(30, {1});
  const auto importance = parameter_importance({"A"}, configurations, std::vector<double>(30, 5.0));
  REQUIRE(importance.size() == 1);
  CHECK(importance[0].share == 0.0);
}

TEST_CASE("search: of fewer than 30 costs no importance is told", "[search]") {
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (std::int64_t i = 0; i < 30; ++i) {
    if (i == 29) CHECK(parameter_importance({"A"}, configurations, costs).empty());
    configurations.push_back({i % 3});
    costs.push_back(100.0 * static_cast<double>(1 + i % 3));
  }
  CHECK(parameter_importance({"A"}, configurations, costs).size() == 1);
  CHECK(parameter_importance({"A"}, {}, {}).empty());
}

TEST_CASE("search: parameters that vary together share what they explain, at most all of it", "[search]") {
  std::vector<std::vector<std::int64_t>> configurations;
  std::vector<double> costs;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t size = i % 4;
    configurations.push_back({size, 2 * size, size / 2, i / 4});
    costs.push_back(100.0 * static_cast<double>(1 + size) + 0.1 * static_cast<double>(i));
  }
  const auto importance = parameter_importance({"BM", "BN", "BK", "PAD"}, configurations, costs);
  double sum = 0;
  for (const Importance& entry : importance) sum += entry.share;
  CHECK(sum <= 1 + 1e-12);
  CHECK(sum > 0.95);
  CHECK(importance[0].share == Approx(importance[1].share));  // BM and BN: neither can be told from the other
  CHECK(importance.back().parameter == "PAD");
}
