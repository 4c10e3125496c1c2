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

/// Indices of those that were asked for, or of those that were not, fastest first.
std::vector<std::size_t> by_time(const std::vector<Contestant>& contestants, bool asked) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (contestants[i].asked == asked) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(contestants[a].us, contestants[a].label) < std::tie(contestants[b].us, contestants[b].label);
  });
  return order;
}

std::string rule_between(const Finalist& winner, const Finalist& second) {
  if (winner.registers != second.registers) return "tie: fewer registers";
  if (winner.shared_bytes != second.shared_bytes) return "tie: less shared memory";
  return "tie: first by name";
}

/// Whether it is clear that `other` is slower than the fastest by more than the margin.
bool clearly_slower(const Finalist& other, const Finalist& fastest) {
  if (other.median_us <= fastest.median_us * (1 + kTieMargin)) return false;
  const auto ratio = paired_ratio(other.samples_us, fastest.samples_us);
  return !ratio || ratio->interval.low > 1 + kTieMargin;
}

std::vector<std::size_t> choose_of_a_class(const std::vector<Contestant>& contestants, bool several_devices) {
  const auto us = [&](std::size_t i) { return contestants[i].us; };
  const std::vector<std::size_t> asked = by_time(contestants, true), others = by_time(contestants, false);
  std::size_t most = std::min(asked.size(), kMostFinalists);
  while (several_devices && most < std::min(asked.size(), kMostFromSeveral) &&
         us(asked[most]) <= kBetweenDevices * us(asked[kMostFinalists - 1]))
    ++most;
  while (most > 1 && us(asked[most - 1]) > kWorthASecondLook * us(asked.front())) --most;

  std::vector<std::size_t> chosen(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(most));
  double best_us = asked.empty() ? std::numeric_limits<double>::infinity() : us(asked.front());
  if (!others.empty()) best_us = std::min(best_us, us(others.front()));
  for (std::size_t i = 0; i < std::min(others.size(), kMostOutside); ++i)
    if (us(others[i]) <= kWorthASecondLook * best_us) chosen.push_back(others[i]);
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (contestants[i].standing && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  return chosen;
}

}  // namespace

std::vector<std::size_t> choose_finalists(const std::vector<Contestant>& contestants, bool several_devices) {
  const auto is_weaker = [](const Contestant& one) { return one.weaker; };
  if (std::ranges::all_of(contestants, is_weaker) || std::ranges::none_of(contestants, is_weaker))
    return choose_of_a_class(contestants, several_devices);
  std::vector<std::size_t> chosen;
  for (const bool weaker : {false, true}) {
    std::vector<Contestant> of_class;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (contestants[i].weaker != weaker || (weaker && !contestants[i].asked)) continue;
      of_class.push_back(contestants[i]);
      places.push_back(i);
    }
    for (const std::size_t i : choose_of_a_class(of_class, several_devices)) chosen.push_back(places[i]);
  }
  return chosen;
}

bool overturns(double us, double winner_us) {
  return us * (1 + kTieMargin) < winner_us;
}

bool goes_first(const Finalist& one, const Finalist& other) {
  return std::tie(one.registers, one.shared_bytes, one.label) <
         std::tie(other.registers, other.shared_bytes, other.label);
}

Verdict decide(const std::vector<Finalist>& finalists) {
  Verdict verdict;
  verdict.order.resize(finalists.size());
  std::iota(verdict.order.begin(), verdict.order.end(), std::size_t{0});
  std::sort(verdict.order.begin(), verdict.order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(finalists[a].median_us, finalists[a].label) < std::tie(finalists[b].median_us, finalists[b].label);
  });
  const Finalist& fastest = finalists[verdict.order.front()];
  while (verdict.ties < std::min(kLargestTie, finalists.size()) &&
         !clearly_slower(finalists[verdict.order[verdict.ties]], fastest)) {
    ++verdict.ties;
  }
  if (verdict.ties == 1) {
    verdict.rule = "fastest";
    return verdict;
  }
  const auto end = verdict.order.begin() + static_cast<std::ptrdiff_t>(verdict.ties);
  std::sort(verdict.order.begin(), end,
            [&](std::size_t a, std::size_t b) { return goes_first(finalists[a], finalists[b]); });
  verdict.rule = rule_between(finalists[verdict.order[0]], finalists[verdict.order[1]]);
  return verdict;
}

}  // namespace kerlab::session
