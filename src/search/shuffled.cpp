// Exhaustive and random search are one thing: a shuffled list, whole or cut short.

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "search/record.h"

namespace kerlab::search {

namespace {

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random_below(seed, i)]);
  return order;
}

class Shuffled final : public RecordedStrategy {
 public:
  Shuffled(std::size_t candidates, SearchOptions options)
      : RecordedStrategy(candidates, std::move(options)), order_(shuffled(candidates, random_)) {}

 private:
  std::vector<std::size_t> choose(std::size_t most) override {
    std::vector<std::size_t> batch;
    for (; batch.size() < most && next_ < order_.size(); ++next_)
      if (is_unknown(order_[next_])) batch.push_back(order_[next_]);
    return batch;
  }
  void learn(std::size_t, std::optional<double>) override {}

  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(std::size_t candidates, SearchOptions options) {
  return std::make_unique<Shuffled>(candidates, std::move(options));
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, SearchSpace& space, SearchOptions options) {
  if (name == "exhaustive" || name == "random") return make_exhaustive(space.size(), std::move(options));
  if (name == "local") return make_local_search(space, std::move(options));
  if (name == "surrogate") return make_surrogate(space, std::move(options));
  throw UsageError("--strategy " + name + ": there are exhaustive, random, local and surrogate");
}

}  // namespace kerlab::search
