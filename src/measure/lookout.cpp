#include "measure/lookout.h"

#include <algorithm>

namespace kerlab::measure {

namespace {

constexpr std::chrono::steady_clock::duration kNeighboursEvery = std::chrono::seconds(1);
constexpr int kTimesItsCost = 50;

}  // namespace

const std::vector<ForeignProcess>& Lookout::look() {
  const auto begin = std::chrono::steady_clock::now();
  seen_ = device_.neighbours();
  looked_ = std::chrono::steady_clock::now();
  cost_ = looked_ - begin;
  return seen_;
}

const std::vector<ForeignProcess>& Lookout::glance() {
  const bool recent = looked_.time_since_epoch().count() != 0 &&
                      std::chrono::steady_clock::now() - looked_ < std::max(kNeighboursEvery, kTimesItsCost * cost_);
  return recent ? seen_ : look();
}

std::vector<ForeignProcess> together(std::vector<ForeignProcess> some, const std::vector<ForeignProcess>& others) {
  for (const ForeignProcess& other : others) {
    const bool known = std::ranges::any_of(some, [&](const ForeignProcess& one) { return one.pid == other.pid; });
    if (!known) some.push_back(other);
  }
  return some;
}

}  // namespace kerlab::measure
