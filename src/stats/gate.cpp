#include "stats/gate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "stats/samples.h"

namespace kerlab::stats {

namespace {

// Quantiles of Student's t for 1 to 12 degrees of freedom, then that of the normal distribution.
constexpr std::array kStudent95 = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                   1.860, 1.833, 1.812, 1.796, 1.782, 1.645};
constexpr std::array kStudent80 = {1.376, 1.061, 0.978, 0.941, 0.920, 0.906, 0.896,
                                   0.889, 0.883, 0.879, 0.876, 0.873, 0.842};
constexpr std::array kStudent995 = {63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499,
                                    3.355, 3.250, 3.169, 3.106, 3.055, 2.576};

double quantile(std::span<const double> table, int degrees) {
  const int last = static_cast<int>(table.size()) - 1;  // degrees of the last but one
  if (degrees <= last) return table[static_cast<std::size_t>(std::max(degrees, 1) - 1)];
  const double limit = table.back(), edge = table[table.size() - 2];
  return limit + (edge - limit) * last / degrees;
}

/// Median of ln(today / base) over the usable pairs of one process.
std::optional<double> effect_of(const ProcessPairs& process) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(process.base_us.size(), process.today_us.size()); ++i) {
    const double ratio = process.today_us[i] / process.base_us[i];
    if (process.base_us[i] > 0 && ratio > 0 && std::isfinite(ratio)) logs.push_back(std::log(ratio));
  }
  return median(std::move(logs));
}

double median_time(std::span<const ProcessPairs> processes, std::vector<double> ProcessPairs::*side) {
  std::vector<double> all;
  for (const ProcessPairs& process : processes) std::ranges::copy(process.*side, std::back_inserter(all));
  return median(std::move(all)).value_or(0);
}

bool is_candidate(GateVerdict verdict) {
  return verdict == GateVerdict::regressed || verdict == GateVerdict::improved;
}

}  // namespace

double clock_floor_us(std::vector<double> samples_us, double most) {
  std::ranges::sort(samples_us);
  double step = most / 2;
  for (std::size_t i = 1; i < samples_us.size(); ++i) {
    const double apart = samples_us[i] - samples_us[i - 1];
    if (apart > 0) step = std::min(step, apart);
  }
  return 2 * step;
}

double student_95(int degrees) {
  return quantile(kStudent95, degrees);
}

double student_80(int degrees) {
  return quantile(kStudent80, degrees);
}

double student_995(int degrees) {
  return quantile(kStudent995, degrees);
}

std::string_view name(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::passed:
      return "passed";
    case GateVerdict::regressed:
      return "regressed";
    case GateVerdict::improved:
      return "improved";
    case GateVerdict::inconclusive:
      break;
  }
  return "inconclusive";
}

std::optional<PairedEffect> estimate_effect(std::span<const ProcessPairs> processes, const GateRule& rule) {
  std::vector<double> effects;
  for (const ProcessPairs& process : processes)
    if (const auto effect = effect_of(process)) effects.push_back(*effect);
  const auto count = static_cast<double>(effects.size());
  if (effects.size() < 2) return std::nullopt;
  const double mean = std::accumulate(effects.begin(), effects.end(), 0.0) / count;
  double squares = 0;
  for (const double effect : effects) squares += (effect - mean) * (effect - mean);
  const double error = std::sqrt(squares / (count - 1) / count);  // of the mean
  const int degrees = static_cast<int>(effects.size()) - 1;
  PairedEffect found;
  found.ratio = std::exp(mean);
  found.low = std::exp(mean - student_95(degrees) * error);
  found.high = std::exp(mean + student_95(degrees) * error);
  found.mde = std::expm1(std::log1p(rule.margin) + (student_95(degrees) + student_80(degrees)) * error);
  found.sure = std::expm1(std::log1p(rule.margin) + (student_95(degrees) + student_995(degrees)) * error);
  found.spread = error * std::sqrt(count);
  found.base_us = median_time(processes, &ProcessPairs::base_us);
  found.today_us = median_time(processes, &ProcessPairs::today_us);
  found.processes = static_cast<int>(effects.size());
  return found;
}

GateVerdict look(const PairedEffect& effect, const GateRule& rule) {
  const bool visible = std::abs(effect.ratio - 1) * effect.base_us > rule.floor_us;
  if (visible && effect.low > 1 + rule.margin) return GateVerdict::regressed;
  if (visible && effect.high < 1 / (1 + rule.margin)) return GateVerdict::improved;
  // What cannot be seen for the clock's steps cannot be held against a kernel either.
  const bool excluded = effect.high < 1 + rule.equivalence || (effect.high - 1) * effect.base_us <= rule.floor_us;
  return excluded ? GateVerdict::passed : GateVerdict::inconclusive;
}

GateVerdict decide_gate(std::span<const ProcessPairs> first, std::span<const ProcessPairs> second,
                        const GateRule& rule) {
  const auto early = estimate_effect(first, rule);
  if (!early) return GateVerdict::inconclusive;
  const GateVerdict suspicion = look(*early, rule);
  if (!is_candidate(suspicion)) return suspicion;
  const auto late = estimate_effect(second, rule);
  if (!late) return GateVerdict::inconclusive;
  if (look(*late, rule) == suspicion) return suspicion;
  std::vector<ProcessPairs> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  const GateVerdict together = look(*estimate_effect(all, rule), rule);
  return is_candidate(together) ? GateVerdict::inconclusive : together;  // one batch alone does not fail a kernel
}

bool control_holds(const PairedEffect& control, const GateRule& rule) {
  if (std::log(control.high / control.low) / 2 > std::log1p(rule.margin)) return false;
  const bool visible = std::abs(control.ratio - 1) * control.base_us > rule.floor_us;
  return !visible || (control.low <= 1 + rule.margin / 2 && control.high >= 1 / (1 + rule.margin / 2));
}

}  // namespace kerlab::stats
