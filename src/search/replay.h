#pragma once
// A strategy over a space whose costs are all known: how many evaluations it needs to come near the best.

#include "search/strategy.h"

namespace kerlab::search {

struct Replay {
  std::vector<std::size_t> evaluations;  ///< until each share of the best was reached; the space's size: never
  struct Improvement {
    std::size_t evaluations;
    double cost;
  };
  std::vector<Improvement> improvements;  ///< each time a better one was found
};

/// `shares`: 0.95: a cost of at most best / 0.95; ascending. `batch`: asked for at once, before any of them is told.
Replay replay(Strategy& strategy, const std::vector<std::optional<double>>& costs, const std::vector<double>& shares,
              std::size_t batch);

}  // namespace kerlab::search
