#pragma once
// Energy under a sustained load: runs back to back for seconds, the cache left as it is between them, while a counter
// of joules is read. What a GPU draws in one cold run of some microseconds nobody can measure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/energy_sample.h"
#include "measure/timer.h"

namespace kerlab::measure {

struct EnergyReading {
  double seconds = 0, joules = 0;
};
/// Mean power between the first and the last change of the counter from `from` seconds on: it moves in steps of some
/// ten milliseconds, and only a reading that has just changed is fresh. Nothing with fewer than two changes.
std::optional<double> mean_watts(const std::vector<EnergyReading>& readings, double from);

/// The counter and the clock beside it, so that a test can have its own.
struct EnergyMeter {
  std::function<double()> joules, seconds;
};
/// Repeats `queue` (a batch of some milliseconds of work, put on the device without waiting) and `wait` for `seconds`;
/// reads the meter once a batch, while the device works.
std::vector<EnergyReading> sustain(const EnergyMeter& meter, double seconds, const std::function<void()>& queue,
                                   const std::function<void()>& wait);

/// Half a second to warm up, then `seconds` measured, over all sets of the candidate in turn. Throws Error when the
/// counter stands still.
EnergySample measure_energy(Lab& lab, const Timeable& candidate, double seconds, const EnergyMeter& meter);

}  // namespace kerlab::measure
