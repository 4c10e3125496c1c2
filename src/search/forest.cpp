// Breiman, Random forests, Machine Learning 45, 2001: each tree grows on a bootstrap sample, each split looks at some
// of the columns. The disagreement of the trees as uncertainty: Hutter, Hoos, Leyton-Brown, SMAC, LION 2011.

#include "search/forest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace kerlab::search {

struct Forest::Split {
  bool found = false;
  std::uint32_t column = 0;
  std::uint8_t threshold = 0;
  double gain = 0;
};

Forest::Forest(const std::vector<std::span<const std::uint8_t>>& rows, const std::vector<double>& targets,
               std::uint64_t seed, const ForestOptions& options)
    : rows_(&rows), targets_(&targets), options_(options) {
  std::vector<std::uint32_t> samples(rows.size());
  for (int tree = 0; tree < options_.trees && !rows.empty(); ++tree) {
    for (std::uint32_t& sample : samples) sample = static_cast<std::uint32_t>(random_below(seed, rows.size()));
    roots_.push_back(grow(samples, 0, samples.size(), seed));
  }
  rows_ = nullptr;
  targets_ = nullptr;
}

std::uint32_t Forest::grow(std::vector<std::uint32_t>& samples, std::size_t begin, std::size_t end,
                           std::uint64_t& random) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  const std::span<const std::uint32_t> here(samples.data() + begin, end - begin);
  double sum = 0;
  for (const std::uint32_t sample : here) sum += (*targets_)[sample];
  nodes_[index].value = static_cast<float>(sum / static_cast<double>(here.size()));
  const Split split = best_split(here, random);
  if (!split.found) return index;
  const auto goes_left = [&](std::uint32_t sample) { return (*rows_)[sample][split.column] <= split.threshold; };
  const auto from = samples.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = samples.begin() + static_cast<std::ptrdiff_t>(end);
  const auto middle = static_cast<std::size_t>(std::stable_partition(from, to, goes_left) - samples.begin());
  nodes_[index].column = split.column;
  nodes_[index].threshold = split.threshold;
  const std::uint32_t left = grow(samples, begin, middle, random);
  const std::uint32_t right = grow(samples, middle, end, random);
  nodes_[index].left = left;
  nodes_[index].right = right;
  return index;
}

/// The one that takes most of the squared deviation, among thresholds of some columns.
Forest::Split Forest::best_split(std::span<const std::uint32_t> samples, std::uint64_t& random) const {
  struct Bin {
    double sum = 0;
    int count = 0;
  };
  Split best;
  const auto least = static_cast<std::size_t>(options_.least_leaf);
  if (samples.size() < 2 * least) return best;
  double total = 0;
  for (const std::uint32_t sample : samples) total += (*targets_)[sample];
  const auto all = static_cast<double>(samples.size());
  const double base = total * total / all;
  const std::size_t columns = (*rows_)[samples.front()].size();
  const auto chance = static_cast<std::uint64_t>(options_.columns_share * 1000);
  std::array<Bin, 256> bins;
  for (std::size_t column = 0; column < columns; ++column) {
    if (random_below(random, 1000) >= chance) continue;
    std::uint8_t low = 255, high = 0;
    for (const std::uint32_t sample : samples) {
      low = std::min(low, (*rows_)[sample][column]);
      high = std::max(high, (*rows_)[sample][column]);
    }
    if (low == high) continue;
    std::fill(bins.begin() + low, bins.begin() + high + 1, Bin{});
    for (const std::uint32_t sample : samples) {
      Bin& bin = bins[(*rows_)[sample][column]];
      bin.sum += (*targets_)[sample];
      ++bin.count;
    }
    double sum = 0;
    std::size_t count = 0;
    for (int cell = low; cell < high; ++cell) {
      const Bin& bin = bins[static_cast<std::size_t>(cell)];
      if (bin.count == 0) continue;
      sum += bin.sum;
      count += static_cast<std::size_t>(bin.count);
      if (count < least || samples.size() - count < least) continue;
      const double rest = total - sum;
      const auto left = static_cast<double>(count);
      const double gain = sum * sum / left + rest * rest / (all - left) - base;
      if (gain <= best.gain + 1e-12) continue;
      // Between this cell and the next that occurs: anywhere, so that trees disagree about what lies between.
      int next = cell + 1;
      while (bins[static_cast<std::size_t>(next)].count == 0) ++next;
      const auto threshold = cell + static_cast<int>(random_below(random, static_cast<std::uint64_t>(next - cell)));
      best = {true, static_cast<std::uint32_t>(column), static_cast<std::uint8_t>(threshold), gain};
    }
  }
  return best;
}

Forest::Prediction Forest::predict(std::span<const std::uint8_t> row) const {
  double sum = 0;
  double squares = 0;
  for (const std::uint32_t root : roots_) {
    std::uint32_t at = root;
    while (nodes_[at].left != 0)
      at = row[nodes_[at].column] <= nodes_[at].threshold ? nodes_[at].left : nodes_[at].right;
    sum += static_cast<double>(nodes_[at].value);
    squares += static_cast<double>(nodes_[at].value) * static_cast<double>(nodes_[at].value);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, roots_.size()));
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace kerlab::search
