// Candidates in the order of a guess that is corrected as results come in: the mean of log(cost / guess) of those tried
// of the same variant, by likeness. A variant of which much was tried waits a little for the others, and one that is
// unlike all that were tried is hoped to be better than it looks. What differs in one parameter from a variant's
// fastest comes first where that is near the best: the guess knows little of clusters, stages and the like.

#include <algorithm>
#include <cmath>

#include "search/forecast_search.h"
#include "search/record.h"

namespace kerlab::search {

namespace {

// Tried on the 128 configurations of gemm bf16 4096^3 that an emulated H200 swept: flat around these values.
constexpr double kLikeness = 1;     // one parameter more that differs makes it e times less alike
constexpr double kHope = 0.2;       // of log cost, of what is unlike everything tried
constexpr double kCrowd = 0.05;     // of log cost, for each e-fold tried of a variant
constexpr double kNoChance = 1.25;  // times the best: a variant's best guess, which is optimistic
constexpr double kFar = 1.15;       // times the best: what is expected to be slower is not tried
constexpr double kBeforeAny = 2;    // times the least guess: as `kNoChance` while nothing is known
constexpr double kNear = 1.05;      // times the best: from a variant's fastest, that is so near, one step more is taken
constexpr double kStep = 0.15;  // of log cost, for what is one step away; each that did not help takes a share of it

class ForecastSearch final : public RecordedStrategy {
 public:
  ForecastSearch(SearchSpace& space, std::vector<double> expected, SearchOptions options)
      : RecordedStrategy(space.size(), std::move(options)),
        space_(space),
        expected_(std::move(expected)),
        begun_of_(space.variants()),
        fastest_of_(space.variants()),
        in_vain_(space.variants()) {
    for (const double us : expected_) least_ = least_ == 0 ? us : std::min(least_, us);
  }

 private:
  std::vector<std::size_t> choose(std::size_t most) override {
    std::vector<std::size_t> batch = firsts(most);
    if (!batch.empty() || (!best() && pending() > 0)) return batch;
    while (batch.size() < most) {
      const auto next = most_promising(batch);
      if (!next) break;
      ++begun_of_[space_.variant_of(*next)];
      batch.push_back(*next);
    }
    return batch;
  }

  /// Of every variant with a chance that has not begun its best guess, the best of these first.
  std::vector<std::size_t> firsts(std::size_t most) {
    std::vector<std::size_t> batch;
    for (std::size_t v = 0; v < space_.variants(); ++v) {
      if (begun_of_[v] > 0) continue;
      std::optional<std::size_t> least;
      for (std::size_t c = space_.first_of(v); c < space_.first_of(v + 1); ++c)
        if (is_unknown(c) && (!least || expected_[c] < expected_[*least])) least = c;
      if (least && has_chance(expected_[*least])) batch.push_back(*least);
    }
    std::sort(batch.begin(), batch.end(), [&](std::size_t a, std::size_t b) { return expected_[a] < expected_[b]; });
    batch.resize(std::min(batch.size(), most));
    for (const std::size_t candidate : batch) ++begun_of_[space_.variant_of(candidate)];
    return batch;
  }

  /// While nothing has passed, those that look hopeless come only when the others are all in vain.
  [[nodiscard]] bool has_chance(double expected) const {
    if (best()) return expected <= kNoChance * *best();
    return expected <= kBeforeAny * least_ || (pending() == 0 && !told().empty());
  }

  std::optional<std::size_t> most_promising(const std::vector<std::size_t>& chosen) const {
    std::optional<std::size_t> next;
    double least = 0;
    for (std::size_t c = 0; c < candidates(); ++c) {
      const std::size_t variant = space_.variant_of(c);
      if (!is_unknown(c) || begun_of_[variant] == 0) continue;
      if (std::find(chosen.begin(), chosen.end(), c) != chosen.end()) continue;
      const double cost = corrected(c, variant);
      if (best() && cost > std::log(kFar * *best())) continue;
      const double wish = cost + kCrowd * std::log(static_cast<double>(begun_of_[variant])) - step_of(c, variant);
      if (next && wish >= least) continue;
      next = c;
      least = wish;
    }
    return next;
  }

  /// What speaks for a step from its variant's fastest, which is near the best: less the more were in vain.
  [[nodiscard]] double step_of(std::size_t candidate, std::size_t variant) const {
    const std::optional<Told>& fastest = fastest_of_[variant];
    if (!fastest || *fastest->cost > kNear * *best() || differences(candidate, fastest->candidate) != 1) return 0;
    return kStep / static_cast<double>(1 + in_vain_[variant]);
  }

  /// Its guess as log cost, corrected by those of its variant that passed.
  [[nodiscard]] double corrected(std::size_t candidate, std::size_t variant) const {
    double weights = 0, sum = 0;
    for (const Told& one : told()) {
      const bool guessed = one.candidate < expected_.size();  // those admitted later are not
      if (!one.cost || !guessed || space_.variant_of(one.candidate) != variant) continue;
      const double weight = std::exp(-kLikeness * static_cast<double>(differences(candidate, one.candidate)));
      weights += weight;
      sum += weight * std::log(*one.cost / expected_[one.candidate]);
    }
    if (weights == 0) return std::log(expected_[candidate]);
    return std::log(expected_[candidate]) + sum / weights - kHope / (1 + 3 * weights);
  }

  [[nodiscard]] std::size_t differences(std::size_t a, std::size_t b) const {
    const auto& left = space_.values_of(a);
    const auto& right = space_.values_of(b);
    std::size_t count = 0;
    for (std::size_t i = 0; i < left.size(); ++i) count += left[i] != right[i] ? 1 : 0;
    return count;
  }

  void learn(std::size_t candidate, std::optional<double> cost) override {
    const std::size_t variant = space_.variant_of(candidate);
    // Those that the session asked for itself.
    begun_of_[variant] = std::max<std::size_t>(begun_of_[variant], 1);
    std::optional<Told>& fastest = fastest_of_[variant];
    const bool faster = cost && (!fastest || *cost < *fastest->cost);
    in_vain_[variant] = faster ? 0 : in_vain_[variant] + 1;
    if (faster) fastest = Told{candidate, cost};
  }

  [[nodiscard]] std::string without_wish() const override { return "nothing else is expected to be near the best"; }

  SearchSpace& space_;
  std::vector<double> expected_;
  std::vector<std::size_t> begun_of_;            ///< variants: candidates asked for
  std::vector<std::optional<Told>> fastest_of_;  ///< variants
  std::vector<std::size_t> in_vain_;             ///< variants: tried since their fastest was
  double least_ = 0;                             ///< of the guesses
};

}  // namespace

std::unique_ptr<Strategy> make_forecast(SearchSpace& space, std::vector<double> expected, SearchOptions options) {
  return std::make_unique<ForecastSearch>(space, std::move(expected), std::move(options));
}

}  // namespace kerlab::search
