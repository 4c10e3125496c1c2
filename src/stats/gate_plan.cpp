#include "stats/gate_plan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace kerlab::stats {

namespace {

constexpr double kProcessUs = 8000;  // of launches, both sides, that a process spends on a kernel

/// What `count` processes of this spread find in 99 of 100 runs, as ln(today / base) beyond the margin. The spread is
/// known from `seen` processes only, and is taken to be larger by half its own relative error.
double found_by(int count, double spread, int seen) {
  const int degrees = count - 1;
  const double unsure = 1 + 0.5 / std::sqrt(std::max(seen - 1, 1));
  return (student_95(degrees) + student_995(degrees)) * spread * unsure / std::sqrt(count);
}

}  // namespace

int pairs_for(double us, const GatePlan& plan) {
  if (!(us > 0)) return plan.pairs;
  const double fit = kProcessUs / (2 * us);
  return static_cast<int>(std::clamp<double>(fit, plan.pairs, std::max(plan.pairs, plan.most_pairs)));
}

int processes_wanted(const PairedEffect& seen, const GateRule& rule, const GatePlan& plan) {
  const double room = std::log1p(rule.margin + plan.beyond) - std::log1p(rule.margin);
  int count = std::max(plan.processes, 2);
  while (count < plan.most_processes && found_by(count, seen.spread, seen.processes) > room) ++count;
  return count;
}

int processes_lacking(std::span<const ProcessPairs> first, const GateRule& rule, const GatePlan& plan) {
  const int taken = static_cast<int>(first.size());
  if (taken < plan.processes) return plan.processes - taken;
  const auto seen = estimate_effect(first, rule);
  const int wanted = seen ? processes_wanted(*seen, rule, plan) : plan.most_processes;
  return std::max(0, wanted - taken);
}

int processes_lacking_to_confirm(std::span<const ProcessPairs> first, std::span<const ProcessPairs> second,
                                 const GateRule& rule, const GatePlan& plan) {
  if (second.size() < first.size()) return static_cast<int>(first.size() - second.size());
  return processes_lacking(second, rule, plan);
}

void keep_what_fits(std::vector<int>& lacking, std::span<const double> launch_us, std::span<const double> process_s,
                    double left_s) {
  std::vector<std::size_t> order(lacking.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return launch_us[i]; });
  for (const std::size_t i : order) {
    const double needs_s = lacking[i] * process_s[i];
    if (needs_s <= left_s)
      left_s -= needs_s;
    else
      lacking[i] = 0;
  }
}

}  // namespace kerlab::stats
