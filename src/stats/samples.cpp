#include "stats/samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace kerlab::stats {

namespace {

bool usable(const std::vector<double>& samples) {
  return !samples.empty() && std::all_of(samples.begin(), samples.end(), [](double x) { return std::isfinite(x); });
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

/// P(Binomial(n, 1/2) = k). In logarithms, since 2^-n underflows beyond a thousand samples.
double binomial_half(std::size_t n, std::size_t k) {
  const auto real_n = static_cast<double>(n), real_k = static_cast<double>(k);
  return std::exp(std::lgamma(real_n + 1) - std::lgamma(real_k + 1) - std::lgamma(real_n - real_k + 1) -
                  real_n * std::numbers::ln2);
}

/// How many samples may be cut off at either end so that what remains still covers the median with `confidence`:
/// the largest c with 2 P(Binomial(n, 1/2) < c + 1) <= 1 - confidence, or 0.
std::size_t cut_off(std::size_t n, double confidence) {
  double tail = binomial_half(n, 0);
  std::size_t cut = 0;
  while (2 * (cut + 1) < n) {
    tail += binomial_half(n, cut + 1);
    if (2 * tail > 1 - confidence) break;
    ++cut;
  }
  return cut;
}

}  // namespace

std::optional<double> median(std::vector<double> samples) {
  if (!usable(samples)) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
}

std::optional<double> median_absolute_deviation(const std::vector<double>& samples) {
  const auto centre = median(samples);
  if (!centre) return std::nullopt;
  std::vector<double> deviations = samples;
  for (double& x : deviations) x = std::abs(x - *centre);
  return median(std::move(deviations));
}

std::optional<Interval> median_interval(std::vector<double> samples, double confidence) {
  if (!usable(samples)) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const std::size_t cut = cut_off(samples.size(), confidence);
  return Interval{samples[cut], samples[samples.size() - 1 - cut]};
}

std::optional<Summary> summarize(const std::vector<double>& samples) {
  if (!usable(samples)) return std::nullopt;
  const Interval interval = *median_interval(samples);
  return Summary{.median = *median(samples),
                 .low = interval.low,
                 .high = interval.high,
                 .mad = *median_absolute_deviation(samples),
                 .minimum = *std::min_element(samples.begin(), samples.end()),
                 .count = static_cast<int>(samples.size())};
}

std::optional<PairedRatio> paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  if (!usable(ratios)) return std::nullopt;  // also: a divisor of zero
  return PairedRatio{*median(ratios), *median_interval(ratios)};
}

}  // namespace kerlab::stats
