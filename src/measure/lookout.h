#pragma once
// Looks now and then who else uses the device while it is timed.

#include <chrono>
#include <vector>

#include "device/device.h"

namespace kerlab::measure {

class Lookout {
 public:
  explicit Lookout(Device& device) : device_(device) {}

  /// Who is there, at most a second ago or so: to ask takes the driver milliseconds, which are kept below 2 % of the
  /// time. Only while nothing is being timed.
  const std::vector<ForeignProcess>& glance();
  /// Who is there now.
  const std::vector<ForeignProcess>& look();

 private:
  Device& device_;
  std::vector<ForeignProcess> seen_;
  std::chrono::steady_clock::time_point looked_{};
  std::chrono::steady_clock::duration cost_{};  ///< of the last look
};

/// Whoever is in either.
std::vector<ForeignProcess> together(std::vector<ForeignProcess> some, const std::vector<ForeignProcess>& others);

}  // namespace kerlab::measure
