#pragma once
// One launch between two events, waited for: for what is long or need not be precise.

#include "device/device.h"

namespace kerlab::measure {

class Stopwatch {
 public:
  explicit Stopwatch(Device& device) : device_(device), begin_(device.create_event()), end_(device.create_event()) {}
  ~Stopwatch() {
    device_.release_event(begin_);
    device_.release_event(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  double time_us(const BoundLaunch& launch) {
    device_.record(begin_);
    device_.launch(launch);
    device_.record(end_);
    device_.synchronize();
    return device_.elapsed_us(begin_, end_);
  }

 private:
  Device& device_;
  EventId begin_, end_;
};

}  // namespace kerlab::measure
