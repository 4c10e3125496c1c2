#include "session/decide.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "stats/samples.h"

namespace kerlab {

namespace {

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

}  // namespace

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

}  // namespace kerlab
