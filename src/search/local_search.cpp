// Greedy iterated local search (Lourenco, Martin, Stuetzle, Iterated local search, 2003): neighbours in random order,
// the first better one is the next centre; where none is better, a few random steps from the best lead elsewhere.

#include <algorithm>
#include <unordered_map>

#include "base/random.h"
#include "search/record.h"

namespace kerlab::search {

namespace {

constexpr int kKick = 3;        // random steps away from a local optimum
constexpr int kMostKicks = 64;  // that lead nowhere new, before anywhere will do

class LocalSearch final : public RecordedStrategy {
 public:
  LocalSearch(SearchSpace& space, SearchOptions options)
      : RecordedStrategy(space.size(), std::move(options)), space_(space) {}

 private:
  std::vector<std::size_t> choose(std::size_t most) override {
    std::vector<std::size_t> batch;
    while (batch.size() < most) {
      while (!around_.empty() && batch.size() < most) {
        if (is_unknown(around_.back())) batch.push_back(around_.back());
        around_.pop_back();
      }
      if (!batch.empty() || pending() > 0) break;
      if (!start_again(batch)) break;
    }
    return batch;
  }

  void learn(std::size_t candidate, std::optional<double> cost) override {
    if (!cost) {
      if (candidate == centre_) centre_.reset();
      return;
    }
    costs_[candidate] = *cost;
    const bool better = !centre_ || !costs_.contains(*centre_) || *cost < costs_[*centre_];
    if (!better && candidate != centre_) return;
    centre_ = candidate;
    if (!best_candidate_ || *cost < costs_[*best_candidate_]) best_candidate_ = candidate;
    around_ = space_.neighbours(candidate);
    for (std::size_t i = around_.size(); i > 1; --i) std::swap(around_[i - 1], around_[random_below(random_, i)]);
  }

  /// A new centre: a few steps from the best, or anywhere. False: everything is known.
  bool start_again(std::vector<std::size_t>& batch) {
    centre_.reset();
    for (int kick = 0; kick < kMostKicks && best_candidate_; ++kick) {
      std::size_t at = *best_candidate_;
      for (int step = 0; step < kKick + kick / 8; ++step) {
        const std::vector<std::size_t> next = space_.neighbours(at);
        if (!next.empty()) at = next[random_below(random_, next.size())];
      }
      if (!is_unknown(at)) continue;
      batch.push_back(at);
      centre_ = at;
      return true;
    }
    const std::size_t from = random_below(random_, candidates());
    for (std::size_t i = 0; i < candidates(); ++i) {
      const std::size_t at = (from + i) % candidates();
      if (!is_unknown(at)) continue;
      batch.push_back(at);
      centre_ = at;
      return true;
    }
    return false;
  }

  SearchSpace& space_;
  std::unordered_map<std::size_t, double> costs_;  ///< known
  std::optional<std::size_t> centre_, best_candidate_;
  std::vector<std::size_t> around_;
};

}  // namespace

std::unique_ptr<Strategy> make_local_search(SearchSpace& space, SearchOptions options) {
  return std::make_unique<LocalSearch>(space, std::move(options));
}

}  // namespace kerlab::search
