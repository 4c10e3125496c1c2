#include "measure/conditions.h"

#include <algorithm>

namespace kerlab::measure {

namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(20);

}  // namespace

bool ConditionsWatch::slowed() {
  const auto now = std::chrono::steady_clock::now();
  if (looked_.time_since_epoch().count() != 0 && now - looked_ < kLookEvery) return slowed_;
  looked_ = now;
  const DeviceConditions found = device_.conditions();
  slowed_ = (found.reasons & kClocksSlowed) != 0;
  seen_.reasons |= found.reasons;
  seen_.watts = std::max(seen_.watts, found.watts);
  seen_.celsius = std::max(seen_.celsius, found.celsius);
  return slowed_;
}

}  // namespace kerlab::measure
