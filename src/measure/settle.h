#pragma once
// Clocks rise and fall for seconds after work begins: what is timed before they settle pays for it.

#include "measure/clock_probe.h"

namespace kerlab::measure {

/// Keeps the device busy until the SM clock of five windows in a row agrees within 1 %, at most 5 s. False: it did not.
bool settle_clocks(Lab& lab, ClockProbe& probe);

}  // namespace kerlab::measure
