// Exhaustive and random search are one thing: a shuffled list, whole or cut short.

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "search/strategy.h"

namespace kerlab {

namespace {

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random_below(seed, i)]);
  return order;
}

class Shuffled final : public Strategy {
 public:
  Shuffled(std::size_t candidates, std::size_t trials, std::uint64_t seed) : order_(shuffled(candidates, seed)) {
    order_.resize(std::min(candidates, trials));
  }
  std::optional<std::size_t> ask() override {
    if (next_ == order_.size()) return std::nullopt;
    return order_[next_++];
  }
  void tell(std::size_t, std::optional<double>) override { ++told_; }
  [[nodiscard]] bool finished() const override { return told_ >= order_.size(); }

 private:
  std::vector<std::size_t> order_;
  std::size_t next_ = 0, told_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(std::size_t candidates, std::uint64_t seed) {
  return std::make_unique<Shuffled>(candidates, candidates, seed);
}

std::unique_ptr<Strategy> make_random(std::size_t candidates, std::size_t trials, std::uint64_t seed) {
  return std::make_unique<Shuffled>(candidates, trials, seed);
}

}  // namespace kerlab
