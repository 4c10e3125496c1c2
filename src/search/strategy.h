#pragma once
// Strategies behind ask and tell: which candidates to try next, given what those tried before cost.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/search_space.h"

namespace kerlab::search {

/// Works on indices into a list of candidates (all variants' valid configurations, concatenated by the session).
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// At most `most` candidates that were never asked for; none: finished, or waiting for tell().
  virtual std::vector<std::size_t> ask(std::size_t most) = 0;
  /// Cost in microseconds; nullopt: failed. Also of candidates that were not asked for: known before, they count.
  virtual void tell(std::size_t candidate, std::optional<double> cost) = 0;
  /// Why no more will be asked for, once everything asked for was told: "12 trials", "every configuration", "no better
  /// one in 100 trials". Empty: not finished.
  [[nodiscard]] virtual std::string ended() const = 0;
};

struct SearchOptions {
  std::size_t trials = 0;    ///< at most so many candidates; 0: all
  std::size_t patience = 0;  ///< enough after so many results without a better one; 0: never
  std::uint64_t seed = 1;
};

/// Every candidate once, shuffled.
std::unique_ptr<Strategy> make_exhaustive(std::size_t candidates, SearchOptions options);
/// Greedy iterated local search: to the first better neighbour, and from a candidate without one a few random steps.
/// `space` must outlive it, and may grow, as with the next.
std::unique_ptr<Strategy> make_local_search(SearchSpace& space, SearchOptions options);
/// A random forest over all that was told chooses by lower confidence bound; at the end the neighbours of the best.
std::unique_ptr<Strategy> make_surrogate(SearchSpace& space, SearchOptions options);

/// By name: exhaustive, random (exhaustive with a limit), local, surrogate. Throws UsageError.
std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchSpace& space, SearchOptions options);

/// Fewer costs tell a parameter that matters from chance too rarely.
inline constexpr std::size_t kFewestForImportance = 30;

/// Share of the variance of log(cost) that each parameter explains (correlation ratio), largest first; together at most
/// 1. Empty below kFewestForImportance costs.
struct Importance {
  std::string parameter;
  double share = 0;
};
std::vector<Importance> parameter_importance(const std::vector<std::string>& names,
                                             const std::vector<std::vector<std::int64_t>>& configurations,
                                             const std::vector<double>& costs);

}  // namespace kerlab::search
