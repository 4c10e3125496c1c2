#pragma once
// Old kernels beside today's, timed so that an unchanged one does not fail: in fresh processes, each of which measures
// all of them in mirrored pairs; whoever looks slower is measured again in new ones (stats/gate.h).

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/run/rig.h"
#include "stats/gate.h"

namespace kerlab::session {

/// A baseline and what has become of it. All run on the same data.
struct TimedPair {
  std::string label;
  request::SetProblem data;  ///< the reference may be empty: nothing is checked here
  RunItem stored;            ///< the cubin of then; no image: there is none for this device
  RunItem base, today;       ///< the source of then, and today's, compiled today
  std::chrono::milliseconds deadline{60000};
};

struct GateOptions {
  GateRule rule;  ///< its floor_us is that of samples between events; batched ones have none
  int processes = 5;
  int most_processes = 11;                             ///< where the interval is too wide to pass
  int pairs = 8;                                       ///< in each process
  std::chrono::milliseconds before_confirming{30000};  ///< until the second batch begins
  std::uint64_t seed = 1;
};

struct GateOutcome {
  GateVerdict verdict = GateVerdict::inconclusive;
  double ratio = 0, low = 0, high = 0;    ///< today over base, each bound one-sided, 95 %; 0: not known
  double mde = 0;                         ///< slow-down (fraction) that this run would have found in 80 of 100 cases
  double base_us = 0, today_us = 0;       ///< medians
  std::optional<double> toolchain_ratio;  ///< the source of then compiled today, over the cubin of then
  int processes = 0;
  std::string wrong;       ///< what timing showed to be wrong with today's kernel; empty: nothing
  std::string why;         ///< inconclusive: why; a warning otherwise; or empty
  std::string conditions;  ///< of the device: power, temperature, what held the clocks down
  std::vector<double> base_samples_us, today_samples_us;  ///< all of them
};

struct GateRun {
  std::vector<GateOutcome> outcomes;  ///< of the pairs, in their order
  bool control_passed = true;         ///< false: this device cannot tell kernels from themselves now; no failure counts
  std::string control;  ///< what the control showed: "kernels against themselves: 1.0002 [0.9991, 1.0013]"
};

/// Blocks for as long as it takes. For devices that measure time, or a script's. `progress` is told what is being done.
/// A pair that cannot be run is inconclusive and says why; the others go on. Throws Error when the device is lost.
GateRun gate_times(Rig& rig, std::span<const TimedPair> pairs, const GateOptions& options,
                   const std::function<void(const std::string&)>& progress);

/// Bytes that a process leaves free before its data, in MiB: another number for each, from 1 to 64.
std::uint32_t placement_of(std::uint64_t seed, int process);

}  // namespace kerlab::session
