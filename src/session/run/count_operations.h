#pragma once
// Predicted beside counted operations: the variant's word, and what an emulated device executes.

#include "measure/timing.h"
#include "model/operations.h"
#include "session/run/rig.h"
#include "trial/trial.h"

namespace kerlab::session {

/// `counted`: the launches of one run on `device`; empty: only what is predicted.
Operations operations_of(const Variant& variant, const Problem& problem, const Configuration& configuration,
                         const DeviceInfo& device, const std::vector<CountedLaunch>& counted);

/// What can be predicted of a stored trial without running anything; no rows when its family or variant is gone.
Operations predicted_operations(const Trial& trial, const KernelPlaces& kernels);

/// Runs some blocks of the trial's configuration (of today's source, which the predictions are of; the note says where
/// the trial's was another) on an emulated device: `options.device` when that names one, else the profile of the
/// trial's own device. What stands in the way becomes the note. `options.target` is not looked at.
Operations count_operations(const Trial& trial, RigOptions options);

/// "emu:h200": the profile that stands for a class of devices, or for the device of a trial; the H200 when none does.
std::string emulated_twin(const std::string& device_class);
std::string emulated_twin(const Trial& trial);

}  // namespace kerlab::session
