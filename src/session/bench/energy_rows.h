#pragma once
// TFLOP per joule of what was timed, and of the vendor's library beside it.

#include "plan/device_info.h"
#include "plan/problem_plan.h"
#include "session/run/runner.h"

namespace kerlab::session {

/// Long enough for the counter's steps of some ten milliseconds to be a percent.
inline constexpr double kEnergySeconds = 2;

struct EnergyRow {
  std::string label;  ///< empty: what was timed; else of the library's row
  EnergySample sample;
  double flops_per_s = 0;
  double flops_per_joule = 0;
};

/// `samples`: of one candidate, then of the library's rows in their order.
std::vector<EnergyRow> energy_rows(const std::vector<EnergySample>& samples, const LibraryOutcome& library,
                                   const ProblemPlan& plan);

/// Throws Error (inconclusive) unless the device is a GPU.
void require_energy_counter(const DeviceInfo& device);

}  // namespace kerlab::session
