#pragma once
// Looks at the device between samples: whether something slows it down that has nothing to do with the kernel.

#include <chrono>

#include "device/device.h"

namespace kerlab::measure {

class ConditionsWatch {
 public:
  explicit ConditionsWatch(Device& device) : device_(device) {}

  /// Asks the device, but not more than every 20 ms: asking takes about a millisecond. True: since the last look its
  /// clocks are held down by heat or by a brake (kClocksSlowed). Only while it is idle or has its work queued.
  bool slowed();
  /// Of all looks: every reason seen, the highest power and temperature.
  [[nodiscard]] const DeviceConditions& seen() const { return seen_; }

 private:
  Device& device_;
  std::chrono::steady_clock::time_point looked_{};
  bool slowed_ = false;
  DeviceConditions seen_;
};

}  // namespace kerlab::measure
