#include "session/shapes/checked_problem.h"

#include "session/shapes/few_sms.h"
#include "spec/space/unsupported.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

std::optional<DeviceInfo> device_for(const ShapedKernel& kernel, const Problem& problem, std::optional<int> sms) {
  const auto& [family, variant, configuration, device] = kernel;
  if (!sms && is_executed_whole(flops_of(family, problem), bytes_of(family, problem)))
    return device_of_few(family, variant, problem, configuration, device);
  DeviceInfo other = device.with_sms(sms.value_or(device.sms));
  return is_valid_on(variant, problem, other, configuration) ? std::optional(std::move(other)) : std::nullopt;
}

}  // namespace kerlab::session
