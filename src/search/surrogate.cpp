// A random forest over everything told, on log time, asked by lower confidence bound. Each of a batch weighs the
// disagreement of the trees differently (Hutter, Hoos, Leyton-Brown, Parallel algorithm configuration, LION 2012), so
// that a batch both exploits and explores. Half of a batch has a parameter at a value that none of the best has: what
// is good only together with other changes is found that way. Of the rest some are neighbours of the best; at the end
// all of these.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "search/forest.h"
#include "search/other_values.h"
#include "search/record.h"

namespace kerlab::search {

namespace {

// Chosen by kerlab replay on every other shipped sweep; flat around these values.
constexpr std::size_t kFirst = 16, kFirstOfVariant = 4;  // before the first forest: at least so many, of each variant
constexpr int kSpread = 8;                               // random candidates, of which the least similar is taken
constexpr double kFarAway = 0.7;                         // log cost above the best, beyond which all is equally bad
constexpr double kOtherShare = 0.5;                      // of a batch: with a value that none of the best has
constexpr double kNearShare = 0.3;                       // of the rest: neighbours of the best
constexpr double kWeight = 0.5;                          // of the trees' disagreement, on average
constexpr std::size_t kCentres = 3;                      // how many are the best
constexpr std::size_t kPool = 16384;                     // candidates scored at once
constexpr std::size_t kReserve = 5;                      // one in so many trials is kept for the end

class Surrogate final : public RecordedStrategy {
 public:
  Surrogate(SearchSpace& space, SearchOptions options)
      : RecordedStrategy(space.size(), std::move(options)), space_(space) {
    first_ = std::max(kFirst, kFirstOfVariant * space_.variants());
    first_of_.resize(space_.variants());
  }

 private:
  /// One of the first candidates: random ones, each variant its share. None: those were all.
  std::optional<std::size_t> next_first() {
    while (first_asked_.size() < std::min(first_, candidates()) && first_rounds_ < 64 * first_) {
      const std::size_t variant = first_rounds_++ % space_.variants();
      const auto candidate = spread_out(variant);
      if (!candidate || std::find(first_asked_.begin(), first_asked_.end(), *candidate) != first_asked_.end()) continue;
      first_asked_.push_back(*candidate);
      ++first_of_[variant];
      return candidate;
    }
    return std::nullopt;
  }

  /// Of a few random candidates of a variant the one that is least like those chosen before. None: all are chosen.
  std::optional<std::size_t> spread_out(std::size_t variant) {
    const std::size_t begin = space_.first_of(variant);
    const std::size_t count = space_.first_of(variant + 1) - begin;
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (int i = 0; i < kSpread && count > 0; ++i) {
      const std::size_t candidate = begin + random_below(random_, count);
      if (first_of_[variant] == count) continue;  // only the random numbers go on
      std::size_t nearest = space_.columns() + 1;
      for (const std::size_t other : first_asked_) nearest = std::min(nearest, differences(candidate, other));
      if (best && nearest <= most) continue;
      most = nearest;
      best = candidate;
    }
    return best;
  }

  [[nodiscard]] std::size_t differences(std::size_t a, std::size_t b) const {
    const auto left = space_.row(a);
    const auto right = space_.row(b);
    std::size_t count = 0;
    for (std::size_t c = 0; c < left.size(); ++c) count += left[c] != right[c] ? 1 : 0;
    return count;
  }

  std::vector<std::size_t> choose(std::size_t most) override {
    std::vector<std::size_t> batch;
    while (batch.size() < most) {
      const auto first = next_first();
      if (!first) break;
      if (is_unknown(*first)) batch.push_back(*first);
    }
    if (!batch.empty()) return batch;
    if (pending() > 0 && 2 * told().size() < first_) return batch;
    if (finishing_) return neighbours_of_best(most);
    if (left() <= reserve()) batch = neighbours_of_best(most);
    if (!batch.empty()) return batch;
    return by_model(most);
  }

  void learn(std::size_t, std::optional<double>) override {}

  bool lost_patience() override {
    finishing_ = true;
    return true;
  }

  /// Trials kept for the end.
  [[nodiscard]] std::size_t reserve() const { return options().trials > 0 ? options().trials / kReserve : 0; }

  [[nodiscard]] std::vector<std::size_t> best_told(std::size_t count) const {
    std::vector<Told> passed;
    for (const Told& one : told())
      if (one.cost) passed.push_back(one);
    const std::size_t some = std::min(count, passed.size());
    std::partial_sort(passed.begin(), passed.begin() + static_cast<std::ptrdiff_t>(some), passed.end(),
                      [](const Told& a, const Told& b) { return *a.cost < *b.cost; });
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < some; ++i) best.push_back(passed[i].candidate);
    return best;
  }

  std::vector<std::size_t> unknown_around(const std::vector<std::size_t>& centres) {
    std::vector<std::size_t> around;
    for (const std::size_t centre : centres)
      for (const std::size_t neighbour : space_.neighbours(centre))
        if (is_unknown(neighbour)) around.push_back(neighbour);
    std::sort(around.begin(), around.end());
    around.erase(std::unique(around.begin(), around.end()), around.end());
    return around;
  }

  /// The end: all of them, the most promising first.
  std::vector<std::size_t> neighbours_of_best(std::size_t most) {
    std::vector<std::size_t> around = unknown_around(best_told(kCentres));
    if (around.empty()) return around;
    const Forest forest = fit();
    std::vector<std::pair<double, std::size_t>> scored;
    for (const std::size_t candidate : around)
      scored.emplace_back(forest.predict(space_.row(candidate)).mean, candidate);
    std::sort(scored.begin(), scored.end());
    std::vector<std::size_t> batch;
    for (std::size_t i = 0; i < std::min(most, scored.size()); ++i) batch.push_back(scored[i].second);
    return batch;
  }

  /// Failed ones cost as much as the worst that passed; what is far off the best is only far off.
  Forest fit() {
    std::vector<std::span<const std::uint8_t>> rows;
    std::vector<double> targets;
    double worst = 0;
    const double most = best() ? std::log(*best()) + kFarAway : 0;
    for (const Told& one : told()) {
      rows.push_back(space_.row(one.candidate));
      targets.push_back(one.cost ? std::min(std::log(*one.cost), most) : 0);
      if (one.cost) worst = std::max(worst, targets.back());
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (!told()[i].cost) targets[i] = worst;
    return Forest(rows, targets, random_next(random_));
  }

  struct Scored {
    std::size_t candidate;
    Forest::Prediction cost;
    bool near = false;  ///< a neighbour of the best
  };

  std::vector<std::size_t> by_model(std::size_t most) {
    const Forest forest = fit();
    const std::vector<std::size_t> best = best_told(kCentres);
    const std::vector<std::size_t> around = unknown_around(best);
    std::vector<Scored> scored;
    OtherValues others(space_, best);
    for (const Told& one : told()) others.tried(one.candidate);
    for (const std::size_t candidate : pool(around)) {
      others.offered(candidate);
      scored.push_back({candidate, forest.predict(space_.row(candidate)),
                        std::binary_search(around.begin(), around.end(), candidate)});
    }
    std::vector<std::size_t> batch;
    while (batch.size() < most && !scored.empty()) {
      const auto chosen = choose_scored(scored, others);
      if (!chosen) continue;  // none of that kind is left
      batch.push_back(scored[*chosen].candidate);
      scored[*chosen] = scored.back();
      scored.pop_back();
    }
    return batch;
  }

  /// The lowest bound of one kind; none: there is none of that kind.
  std::optional<std::size_t> choose_scored(const std::vector<Scored>& scored, const OtherValues& others) {
    const double weight = -kWeight * std::log(random_uniform(random_));
    if (random_uniform(random_) < kOtherShare) {
      const auto other = others.draw(random_);
      if (!other) return lowest(scored, weight, [](const Scored&) { return true; });
      return lowest(scored, weight,
                    [&](const Scored& one) { return space_.row(one.candidate)[other->column] == other->cell; });
    }
    const bool near = random_uniform(random_) < kNearShare;
    return lowest(scored, weight, [&](const Scored& one) { return !near || one.near; });
  }

  template <typename Kind>
  static std::optional<std::size_t> lowest(const std::vector<Scored>& scored, double weight, Kind is_of_kind) {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t i = 0; i < scored.size(); ++i) {
      if (!is_of_kind(scored[i])) continue;
      const double bound = scored[i].cost.mean - weight * scored[i].cost.deviation;
      if (best && bound >= least) continue;
      best = i;
      least = bound;
    }
    return best;
  }

  /// Unknown candidates to score: all of a small space, else random ones and the neighbours of the best.
  std::vector<std::size_t> pool(const std::vector<std::size_t>& around) {
    std::vector<std::size_t> chosen;
    if (candidates() <= kPool) {
      for (std::size_t i = 0; i < candidates(); ++i)
        if (is_unknown(i)) chosen.push_back(i);
      return chosen;
    }
    chosen = around;
    for (std::size_t i = 0; i < kPool; ++i) {
      const std::size_t candidate = random_below(random_, candidates());
      if (is_unknown(candidate)) chosen.push_back(candidate);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  SearchSpace& space_;
  std::size_t first_ = 0, first_rounds_ = 0;
  std::vector<std::size_t> first_asked_;  ///< those of the first that were chosen, whether known or not
  std::vector<std::size_t> first_of_;     ///< how many of them each variant has
  bool finishing_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(SearchSpace& space, SearchOptions options) {
  return std::make_unique<Surrogate>(space, std::move(options));
}

}  // namespace kerlab::search
