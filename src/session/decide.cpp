#include "session/decide.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kerlab {

namespace {

std::string rule_between(const Finalist& winner, const Finalist& second) {
  if (winner.registers != second.registers) return "tie: fewer registers";
  if (winner.shared_bytes != second.shared_bytes) return "tie: less shared memory";
  return "tie: first by name";
}

}  // namespace

Verdict decide(const std::vector<Finalist>& finalists) {
  Verdict verdict;
  verdict.order.resize(finalists.size());
  std::iota(verdict.order.begin(), verdict.order.end(), std::size_t{0});
  std::sort(verdict.order.begin(), verdict.order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(finalists[a].median_us, finalists[a].label) < std::tie(finalists[b].median_us, finalists[b].label);
  });
  const double limit = finalists[verdict.order.front()].median_us * (1 + kTieMargin);
  while (verdict.ties < std::min(kLargestTie, finalists.size()) &&
         finalists[verdict.order[verdict.ties]].median_us <= limit) {
    ++verdict.ties;
  }
  if (verdict.ties == 1) {
    verdict.rule = "fastest";
    return verdict;
  }
  const auto key = [&](std::size_t i) {
    return std::tie(finalists[i].registers, finalists[i].shared_bytes, finalists[i].label);
  };
  const auto end = verdict.order.begin() + static_cast<std::ptrdiff_t>(verdict.ties);
  std::sort(verdict.order.begin(), end, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  verdict.rule = rule_between(finalists[verdict.order[0]], finalists[verdict.order[1]]);
  return verdict;
}

}  // namespace kerlab
