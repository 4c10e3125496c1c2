#include "stats/portfolio.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <numeric>

namespace kerlab::stats {

namespace {

constexpr std::size_t kNodesOfOneShape = 40'000'000;  // a node looks at every shape

double loss_of(const LossMatrix& losses, std::size_t shape, std::size_t kernel) {
  return losses[shape][kernel].value_or(std::numeric_limits<double>::infinity());
}

/// Every shape gets the best of `kernels`; none: some shape has none.
std::optional<Portfolio> assign(const LossMatrix& losses, std::vector<std::size_t> kernels) {
  std::sort(kernels.begin(), kernels.end());
  Portfolio portfolio;
  for (std::size_t shape = 0; shape < losses.size(); ++shape) {
    const auto best = std::min_element(kernels.begin(), kernels.end(), [&](std::size_t a, std::size_t b) {
      return loss_of(losses, shape, a) < loss_of(losses, shape, b);
    });
    if (best == kernels.end() || !losses[shape][*best]) return std::nullopt;
    portfolio.of_shape.push_back(*best);
    portfolio.worst_loss = std::max(portfolio.worst_loss, *losses[shape][*best]);
    portfolio.mean_loss += *losses[shape][*best] / static_cast<double>(losses.size());
  }
  for (const std::size_t kernel : kernels)
    if (std::count(portfolio.of_shape.begin(), portfolio.of_shape.end(), kernel) > 0)
      portfolio.kernels.push_back(kernel);
  return portfolio;
}

bool better(const Portfolio& a, const Portfolio& b) {
  return a.worst_loss != b.worst_loss ? a.worst_loss < b.worst_loss : a.mean_loss < b.mean_loss;
}

constexpr std::size_t kMostShapes = 512;  // of the exact search
using Shapes = std::bitset<kMostShapes>;

/// Sets of at most `size` kernels that have one within `limit` for every shape: branches over the kernels of the shape
/// that has the fewest. No set is met twice.
class Cover {
 public:
  Cover(const LossMatrix& losses, std::size_t size, double limit, std::size_t& nodes)
      : losses_(losses),
        size_(size),
        nodes_(nodes),
        covers_(losses.front().size()),
        options_(losses.size()),
        near_(losses.size()),
        banned_(losses.front().size()) {
    for (std::size_t shape = 0; shape < losses.size(); ++shape) {
      order_.push_back(shape);
      for (std::size_t kernel = 0; kernel < covers_.size(); ++kernel)
        if (loss_of(losses, shape, kernel) <= limit) {
          options_[shape].push_back(kernel);
          covers_[kernel].set(shape);
        }
    }
    for (std::size_t shape = 0; shape < losses.size(); ++shape)
      for (const std::size_t kernel : options_[shape]) near_[shape] |= covers_[kernel];
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return options_[a].size() < options_[b].size(); });
  }

  /// The first found, or with `all` the one of the least mean loss.
  std::optional<Portfolio> search(bool all) {
    all_ = all;
    Shapes open;
    for (const std::size_t shape : order_) {
      if (options_[shape].empty()) return std::nullopt;
      open.set(shape);
    }
    descend(open);
    return best_;
  }

 private:
  /// Shapes that share no kernel need one each: so many more are needed at least.
  [[nodiscard]] std::size_t at_least(Shapes open) const {
    std::size_t apart = 0;
    for (const std::size_t shape : order_) {
      if (!open.test(shape)) continue;
      open &= ~near_[shape];
      open.reset(shape);
      if (++apart + chosen_.size() > size_) break;
    }
    return apart;
  }

  void descend(const Shapes& open) {
    if (nodes_ == 0) return;
    --nodes_;
    if (open.none()) {
      take();
      return;
    }
    if (chosen_.size() + at_least(open) > size_) return;
    const auto hardest = *std::find_if(order_.begin(), order_.end(), [&](std::size_t s) { return open.test(s); });
    std::vector<std::size_t> tried;
    for (const std::size_t kernel : options_[hardest]) {
      if (banned_[kernel]) continue;
      chosen_.push_back(kernel);
      descend(open & ~covers_[kernel]);
      chosen_.pop_back();
      if (best_ && !all_) return;
      banned_[kernel] = true;  // every set with it was met
      tried.push_back(kernel);
    }
    for (const std::size_t kernel : tried) banned_[kernel] = false;
  }

  void take() {
    auto found = assign(losses_, chosen_);
    if (found && (!best_ || better(*found, *best_))) best_ = std::move(found);
  }

  const LossMatrix& losses_;
  std::size_t size_;
  std::size_t& nodes_;
  std::vector<Shapes> covers_;                     ///< of each kernel
  std::vector<std::vector<std::size_t>> options_;  ///< of each shape
  std::vector<Shapes> near_;                       ///< of each shape: those that share a kernel with it
  std::vector<std::size_t> order_;                 ///< shapes, those of the fewest kernels first
  std::vector<bool> banned_;
  std::vector<std::size_t> chosen_;
  std::optional<Portfolio> best_;
  bool all_ = false;
};

/// One kernel after the other: the one that leaves the fewest shapes without any, then the least worst, then mean loss.
std::optional<Portfolio> greedy(const LossMatrix& losses, std::size_t size) {
  const std::size_t kernels = losses.empty() ? 0 : losses.front().size();
  std::vector<std::size_t> chosen;
  while (chosen.size() < size) {
    std::vector<double> best_score;
    std::size_t best = kernels;
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      std::vector<double> score(3);
      for (std::size_t shape = 0; shape < losses.size(); ++shape) {
        double least = loss_of(losses, shape, kernel);
        for (const std::size_t other : chosen) least = std::min(least, loss_of(losses, shape, other));
        if (least == std::numeric_limits<double>::infinity()) {
          ++score[0];
        } else {
          score[1] = std::max(score[1], least);
          score[2] += least;
        }
      }
      if (best == kernels || score < best_score) best_score = score, best = kernel;
    }
    if (best == kernels || std::find(chosen.begin(), chosen.end(), best) != chosen.end()) break;
    chosen.push_back(best);
  }
  return assign(losses, chosen);
}

/// Kernels that no shape needs, added while they make the mean loss smaller.
Portfolio filled(const LossMatrix& losses, Portfolio portfolio, std::size_t size) {
  while (portfolio.kernels.size() < size) {
    std::optional<Portfolio> best;
    for (std::size_t kernel = 0; kernel < losses.front().size(); ++kernel) {
      std::vector<std::size_t> kernels = portfolio.kernels;
      kernels.push_back(kernel);
      auto more = assign(losses, std::move(kernels));
      if (more && (!best || more->mean_loss < best->mean_loss)) best = std::move(more);
    }
    if (!best || best->mean_loss >= portfolio.mean_loss || best->kernels.size() <= portfolio.kernels.size()) break;
    best->exact = portfolio.exact;
    portfolio = std::move(*best);
  }
  return portfolio;
}

std::vector<double> distinct_losses(const LossMatrix& losses) {
  std::vector<double> values;
  for (const auto& row : losses)
    for (const auto& loss : row)
      if (loss) values.push_back(*loss);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::optional<Portfolio> best_portfolio(const LossMatrix& losses, std::size_t size, std::size_t nodes) {
  if (losses.empty()) return std::nullopt;
  if (nodes == 0) nodes = std::max<std::size_t>(2000, kNodesOfOneShape / losses.size());
  const std::vector<double> limits = distinct_losses(losses);
  std::optional<Portfolio> best = greedy(losses, size);
  if (losses.size() > kMostShapes) {
    if (best) best->exact = false;
    return best;
  }
  // The least limit that so many kernels can keep, by halving.
  for (std::size_t low = 0, high = limits.size(); low < high && nodes > 0;) {
    const std::size_t middle = low + (high - low) / 2;
    auto found = Cover(losses, size, limits[middle], nodes).search(false);
    if (!found) {
      low = middle + 1;
      continue;
    }
    if (!best || better(*found, *best)) best = std::move(found);
    high = middle;
  }
  if (!best) return best;
  const bool proved = nodes > 0;
  if (auto all = Cover(losses, size, best->worst_loss, nodes).search(true); all && better(*all, *best)) best = all;
  best->exact = proved;
  return filled(losses, std::move(*best), size);
}

std::vector<Portfolio> portfolios(const LossMatrix& losses, double within, std::size_t largest) {
  std::vector<Portfolio> found;
  const std::size_t most = largest > 0 ? largest : losses.size();
  for (std::size_t size = 1; size <= most; ++size) {
    auto portfolio = best_portfolio(losses, size);
    if (!portfolio || (!found.empty() && !better(*portfolio, found.back()))) continue;
    found.push_back(std::move(*portfolio));
    if (found.back().worst_loss <= within) break;
  }
  return found;
}

}  // namespace kerlab::stats
