#include "search/forecast_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "catch.h"

using namespace kerlab;

namespace {

/// Two variants of tiles; the guess knows the tile, not what the other parameter does, and is right of neither.
struct Tiles {
  std::vector<Configuration> fast, slow;
  std::vector<double> expected, costs;
  Tiles() {
    for (const int tile : {32, 64, 128, 256})
      for (const int ring : {2, 3, 4, 5, 6, 7}) add(fast, tile, ring, 1.3);
    for (const int tile : {32, 64, 128, 256})
      for (const int ring : {2, 3, 4, 5, 6, 7}) add(slow, tile, ring, 12);
  }
  void add(std::vector<Configuration>& points, int tile, int ring, double factor) {
    points.push_back({{tile, ring}});
    const double guess = 100 + 6400.0 / tile;
    expected.push_back(guess * (factor > 10 ? 4 : 1));
    costs.push_back(factor * guess * (1 + 0.03 * std::abs(ring - 5)));
  }
  SearchSpace space() const { return SearchSpace({part("fast", fast), part("slow", slow)}); }
  static SearchSpace::Part part(const std::string& name, const std::vector<Configuration>& points) {
    SearchSpace::Part part;
    part.variant = name;
    part.parameters = {"TILE", "RING"};
    part.points = &points;
    return part;
  }
};

struct Outcome {
  double best = 1e9;
  std::size_t tried = 0, slow = 0;
  std::string ended;
};

Outcome searched(const Tiles& tiles, const std::vector<std::optional<double>>& costs, std::size_t batch) {
  SearchSpace space = tiles.space();
  SearchOptions options;
  options.patience = 10;
  const auto strategy = make_forecast(space, tiles.expected, options);
  Outcome outcome;
  for (auto asked = strategy->ask(batch); !asked.empty(); asked = strategy->ask(batch)) {
    for (const std::size_t candidate : asked) {
      ++outcome.tried;
      outcome.slow += candidate >= tiles.fast.size() ? 1 : 0;
      if (costs[candidate]) outcome.best = std::min(outcome.best, *costs[candidate]);
      strategy->tell(candidate, costs[candidate]);
    }
  }
  outcome.ended = strategy->ended();
  return outcome;
}

}  // namespace

TEST_CASE("forecast search: finds the best of many with few, and leaves out what has no chance", "[search]") {
  const Tiles tiles;
  const std::vector<std::optional<double>> costs(tiles.costs.begin(), tiles.costs.end());
  for (const std::size_t batch : {1, 2, 4, 16}) {
    const Outcome outcome = searched(tiles, costs, batch);
    CHECK(outcome.best == *std::min_element(tiles.costs.begin(), tiles.costs.end()));
    CHECK(outcome.tried < 20);
    CHECK(outcome.slow <= 1);
    CHECK_FALSE(outcome.ended.empty());
  }
}

TEST_CASE("forecast search: where all that looks good fails, the rest is tried", "[search]") {
  const Tiles tiles;
  std::vector<std::optional<double>> costs(tiles.costs.begin(), tiles.costs.end());
  for (std::size_t i = 0; i < tiles.fast.size(); ++i) costs[i] = std::nullopt;
  SearchSpace space = tiles.space();
  const auto strategy = make_forecast(space, tiles.expected, {});
  double best = 1e9;
  for (auto asked = strategy->ask(2); !asked.empty(); asked = strategy->ask(2)) {
    for (const std::size_t candidate : asked) {
      if (costs[candidate]) best = std::min(best, *costs[candidate]);
      strategy->tell(candidate, costs[candidate]);
    }
  }
  CHECK(best == *std::min_element(tiles.costs.begin() + 24, tiles.costs.end()));
}

TEST_CASE("forecast search: a step that has helped is taken again, before a crowd of the unlike", "[search]") {
  // The guess is the same for all. Of `few` each doubling of the cluster helps; of `many`, whose first is ahead of all
  // but the last of these, nothing does.
  std::vector<Configuration> few = {{{1}}, {{2}}, {{4}}}, many;
  std::vector<double> costs = {203, 196, 186};
  for (unsigned bits = 0; bits < 1024; bits += 3) {
    Configuration& one = many.emplace_back();
    for (int bit = 0; bit < 10; ++bit) one.values.push_back(bits >> bit & 1);
    costs.push_back(195 + std::popcount(bits));
  }
  SearchSpace::Part first = Tiles::part("few", few), second = Tiles::part("many", many);
  first.parameters = {"CLUSTER"};
  second.parameters = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"};
  for (const std::size_t batch : {1, 2, 4}) {
    SearchSpace space({first, second});
    SearchOptions options;
    options.patience = 10;
    const auto strategy = make_forecast(space, std::vector<double>(costs.size(), 175.0), options);
    double best = 1e9;
    for (auto asked = strategy->ask(batch); !asked.empty(); asked = strategy->ask(batch))
      for (const std::size_t candidate : asked) {
        best = std::min(best, costs[candidate]);
        strategy->tell(candidate, costs[candidate]);
      }
    CHECK(best == 186);
  }
}
