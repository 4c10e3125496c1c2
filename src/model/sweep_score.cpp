#include "model/sweep_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/quantile.h"

namespace kerlab::model {
namespace {

std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(begin + end - 1);
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

SweepScore score(const std::vector<double>& measured, const std::vector<double>& modelled) {
  SweepScore result;
  result.configurations = measured.size();
  if (measured.empty() || measured.size() != modelled.size()) return result;
  result.spearman = correlation(ranks_of(measured), ranks_of(modelled));
  const auto best = static_cast<std::size_t>(std::min_element(measured.begin(), measured.end()) - measured.begin());
  const std::vector<std::size_t> order = order_of(modelled);
  result.best_rank = static_cast<std::size_t>(std::find(order.begin(), order.end(), best) - order.begin()) + 1;
  double found = measured[order.front()];
  for (std::size_t i = 0; i < std::min<std::size_t>(8, order.size()); ++i) found = std::min(found, measured[order[i]]);
  result.best_of_8 = found / measured[best];
  std::vector<double> off, absolute;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    off.push_back(modelled[i] / measured[i] - 1);
    absolute.push_back(std::abs(off.back()));
  }
  result.low = quantile(off, 0.1);
  result.high = quantile(off, 0.9);
  result.median_error = quantile(absolute, 0.5);
  result.error_90 = quantile(absolute, 0.9);
  return result;
}

}  // namespace kerlab::model
