#pragma once
// Strategies behind ask and tell. A later engine replaces the strategies, not this interface.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kerlab {

/// Works on indices into a list of candidates (all variants' valid configurations, concatenated by the session).
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// The next candidate, or nothing: finished, or waiting for tell().
  virtual std::optional<std::size_t> ask() = 0;
  /// Cost in microseconds; nullopt: failed.
  virtual void tell(std::size_t candidate, std::optional<double> cost) = 0;
  [[nodiscard]] virtual bool finished() const = 0;
};

/// Every candidate once, shuffled by `seed`.
std::unique_ptr<Strategy> make_exhaustive(std::size_t candidates, std::uint64_t seed);
/// At most `trials` of them.
std::unique_ptr<Strategy> make_random(std::size_t candidates, std::size_t trials, std::uint64_t seed);

/// Share of the variance of log(cost) that each parameter explains alone (correlation ratio), largest first.
struct Importance { std::string parameter; double share = 0; };
std::vector<Importance> parameter_importance(const std::vector<std::string>& names,
                                             const std::vector<std::vector<std::int64_t>>& configurations,
                                             const std::vector<double>& costs);

}  // namespace kerlab
