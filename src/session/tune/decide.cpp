#include "session/tune/decide.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "stats/samples.h"

namespace kerlab::session {

namespace {

constexpr double kWorthASecondLook = 1.5;  // times the best of those it is chosen from
// GPUs of one model differ by about a percent: whoever may have been on the slower one is not left behind for that.
constexpr double kBetweenDevices = 1.02;

/// Those that were asked for, or those that were not, fastest first.
std::vector<Screened*> by_time(const std::vector<Screened*>& field, bool asked) {
  std::vector<Screened*> order;
  std::copy_if(field.begin(), field.end(), std::back_inserter(order),
               [&](const Screened* one) { return (one->outside == nullptr) == asked; });
  std::sort(order.begin(), order.end(), [](const Screened* a, const Screened* b) {
    return std::tie(a->time->median_us, a->candidate.label) < std::tie(b->time->median_us, b->candidate.label);
  });
  return order;
}

TieBreak tie_break_between(const Trial& winner, const Trial& second) {
  if (winner.registers != second.registers) return TieBreak::registers;
  if (winner.shared_bytes != second.shared_bytes) return TieBreak::shared_memory;
  return TieBreak::name;
}

/// Whether it is clear that `other` is slower than the fastest by more than the margin.
bool clearly_slower(const Measurement& other, const Measurement& fastest) {
  if (other.median_us <= fastest.median_us * (1 + kTieMargin)) return false;
  const auto ratio = paired_ratio(other.samples_us, fastest.samples_us);
  return !ratio || ratio->interval.low > 1 + kTieMargin;
}

std::vector<Screened*> choose_of_a_class(const std::vector<Screened*>& field, std::int64_t standing,
                                         bool several_devices) {
  const auto us = [](const Screened* one) { return one->time->median_us; };
  const std::vector<Screened*> asked = by_time(field, true), others = by_time(field, false);
  std::size_t most = std::min(asked.size(), kMostFinalists);
  while (several_devices && most < std::min(asked.size(), kMostFromSeveral) &&
         us(asked[most]) <= kBetweenDevices * us(asked[kMostFinalists - 1]))
    ++most;
  while (most > 1 && us(asked[most - 1]) > kWorthASecondLook * us(asked.front())) --most;

  std::vector<Screened*> chosen(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(most));
  double best_us = asked.empty() ? std::numeric_limits<double>::infinity() : us(asked.front());
  if (!others.empty()) best_us = std::min(best_us, us(others.front()));
  for (std::size_t i = 0; i < std::min(others.size(), kMostOutside); ++i)
    if (us(others[i]) <= kWorthASecondLook * best_us) chosen.push_back(others[i]);
  for (Screened* one : field)
    if (one->candidate.trial.id == standing && std::find(chosen.begin(), chosen.end(), one) == chosen.end())
      chosen.push_back(one);
  return chosen;
}

}  // namespace

std::vector<Screened*> choose_finalists(const std::vector<Screened*>& field, std::int64_t standing,
                                        bool several_devices) {
  const auto is_weaker = [](const Screened* one) { return one->weaker; };
  if (std::ranges::all_of(field, is_weaker) || std::ranges::none_of(field, is_weaker))
    return choose_of_a_class(field, standing, several_devices);
  std::vector<Screened*> chosen;
  for (const bool weaker : {false, true}) {
    std::vector<Screened*> of_class;
    std::ranges::copy_if(field, std::back_inserter(of_class), [&](const Screened* one) {
      return one->weaker == weaker && (!weaker || one->outside == nullptr);
    });
    std::ranges::copy(choose_of_a_class(of_class, standing, several_devices), std::back_inserter(chosen));
  }
  return chosen;
}

bool overturns(double us, double winner_us) {
  return us * (1 + kTieMargin) < winner_us;
}

bool goes_first(const Trial& one, const Trial& other) {
  return std::tie(one.registers, one.shared_bytes, one.variant, one.configuration) <
         std::tie(other.registers, other.shared_bytes, other.variant, other.configuration);
}

Verdict decide(const std::vector<TimedTrial>& finalists) {
  const auto trial = [&](std::size_t i) -> const Trial& { return finalists[i].trial; };
  const auto time = [&](std::size_t i) -> const Measurement& { return finalists[i].measurement; };
  Verdict verdict;
  verdict.order.resize(finalists.size());
  std::iota(verdict.order.begin(), verdict.order.end(), std::size_t{0});
  std::sort(verdict.order.begin(), verdict.order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(time(a).median_us, trial(a).variant, trial(a).configuration) <
           std::tie(time(b).median_us, trial(b).variant, trial(b).configuration);
  });
  const Measurement& fastest = time(verdict.order.front());
  while (verdict.ties < std::min(kLargestTie, finalists.size()) &&
         !clearly_slower(time(verdict.order[verdict.ties]), fastest)) {
    ++verdict.ties;
  }
  if (verdict.ties == 1) return verdict;
  const auto end = verdict.order.begin() + static_cast<std::ptrdiff_t>(verdict.ties);
  std::sort(verdict.order.begin(), end, [&](std::size_t a, std::size_t b) { return goes_first(trial(a), trial(b)); });
  verdict.tie_break = tie_break_between(trial(verdict.order[0]), trial(verdict.order[1]));
  return verdict;
}

}  // namespace kerlab::session
