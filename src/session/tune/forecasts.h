#pragma once
// What every candidate of a space may take, guessed before any is compiled (model/forecast.h).

#include "session/run/problem_setup.h"
#include "session/run/space.h"

namespace kerlab::session {

/// Microseconds, by index of the space.
std::vector<double> forecasts(const CandidateSpace& space, const Family& family, const ProblemSetup& setup,
                              const DeviceInfo& device);

/// What a variant's description predicts of a configuration, as the least time of its busiest unit; 0: nothing.
double predicted_us(const VariantSource& source, const Configuration& configuration, const ProblemSetup& setup,
                    const DeviceInfo& device);

}  // namespace kerlab::session
