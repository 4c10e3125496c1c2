#include "search/replay.h"

#include <algorithm>

namespace kerlab::search {

Replay replay(Strategy& strategy, const std::vector<std::optional<double>>& costs, const std::vector<double>& shares,
              std::size_t batch) {
  std::optional<double> best;
  for (const auto& cost : costs)
    if (cost && (!best || *cost < *best)) best = cost;
  Replay result{std::vector<std::size_t>(shares.size(), costs.size()), {}};
  std::size_t told = 0;
  std::size_t reached = 0;
  while (best && reached < shares.size()) {
    const std::vector<std::size_t> asked = strategy.ask(batch);
    if (asked.empty()) break;  // nothing is pending: it has finished
    for (const std::size_t candidate : asked) {
      ++told;
      const std::optional<double>& cost = costs[candidate];
      for (; cost && reached < shares.size() && *cost <= *best / shares[reached]; ++reached)
        result.evaluations[reached] = told;
      if (cost && (result.improvements.empty() || *cost < result.improvements.back().cost))
        result.improvements.push_back({told, *cost});
      strategy.tell(candidate, cost);
    }
  }
  return result;
}

}  // namespace kerlab::search
