#pragma once
// The SM clock over a stretch of the stream: cycles of SM 0 over nanoseconds of the global timer, read at both ends.

#include <cstdint>
#include <vector>

#include "device/lab.h"

namespace kerlab::measure {

class ClockProbe {
 public:
  explicit ClockProbe(Lab& lab) : lab_(lab) {}

  /// Room for this many readings; forgets the earlier ones.
  void reset(std::size_t readings);
  /// Queues a reading; readings are numbered from 0.
  void read();
  /// Waits for the device and fetches all readings.
  void fetch();
  /// MHz between two readings; 0 when one of them is missing.
  [[nodiscard]] double mhz(std::size_t from, std::size_t to) const;

 private:
  struct Reading {
    lab::u64 cycles = 0, nanoseconds = 0;
  };
  Lab& lab_;
  Allocation memory_;
  std::size_t used_ = 0;
  std::vector<Reading> readings_;
};

}  // namespace kerlab::measure
