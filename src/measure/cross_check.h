#pragma once
// The same runs by another clock. Events see one stream; work that a kernel starts elsewhere, or that is still going on
// when its stream has finished, shows in the time that the host waits for the whole device.

#include "measure/timer.h"

namespace kerlab::measure {

/// From this on the host waited too much longer for a result to be believed.
inline constexpr double kHostDisagrees = 1.10;

/// Runs the candidate back to back for about 10 ms (`run_us`: what one run takes). The host's time from the first
/// launch until the whole device is idle, over the time between events around the same launches. GPUs only.
double host_over_events(Device& device, const Timeable& candidate, double run_us);

}  // namespace kerlab::measure
