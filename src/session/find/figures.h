#pragma once
// What a kernel amounts to, as figures by name: baselines keep them, and bench shows them of several kernels.

#include "session/run/single.h"
#include "trial/baseline.h"

namespace kerlab::session {

/// Resources, and on an emulated device everything that was counted.
std::vector<Figure> figures_of(const Evaluation& result, const DeviceInfo& device);

/// 0 when there is none of that name.
double figure(const std::vector<Figure>& figures, const std::string& name);

}  // namespace kerlab::session
