#include "session/shapes/checked_problem.h"

#include <algorithm>

#include "session/shapes/few_sms.h"
#include "session/shapes/thin.h"
#include "session/shapes/valid_shape.h"
#include "spec/space/unsupported.h"
#include "verify/emulated/emulated_check.h"

namespace kerlab::session {

namespace {

// Of a few rows, or of one, every recipe is cheap: who stops early at a special value does so behind several rounds.
constexpr double kLittleBytes = 4 << 20, kLittleFlops = 4e6;
// Of a run, on an emulated device; a usual check has dozens of them. It starts so many in half a second, in two.
constexpr double kUsualWarps = 1 << 15, kTellingWarps = 1 << 17;
constexpr double kManyBlocks = 1024;

struct Started {
  double blocks = 0, warps = 0;  ///< of the largest launch; of all
};

Started started_by(const ShapedKernel& kernel, const Problem& problem) {
  Started started;
  const auto plan = shape_plan(kernel, problem, kernel.device);
  if (!plan) return started;
  for (const Launch& launch : plan->launches) {
    started.blocks = std::max(started.blocks, blocks_in_grid(launch));
    started.warps += kernel.device.is_slow ? warps_in_grid(launch) : 0;
  }
  return started;
}

bool is_little(const ShapedKernel& kernel, const Problem& problem, const Started& started) {
  return bytes_of_tensors(kernel.family, problem) <= kLittleBytes && flops_of(kernel.family, problem) <= kLittleFlops &&
         started.warps <= kUsualWarps;
}

}  // namespace

std::optional<DeviceInfo> device_for(const ShapedKernel& kernel, const Problem& problem, std::optional<int> sms) {
  const auto& [family, variant, configuration, device] = kernel;
  if (!sms && is_executed_whole(flops_of(family, problem), bytes_of(family, problem)))
    return device_of_few(family, variant, problem, configuration, device);
  DeviceInfo other = device.with_sms(sms.value_or(device.sms));
  return is_valid_on(variant, problem, other, configuration) ? std::optional(std::move(other)) : std::nullopt;
}

bool is_little(const ShapedKernel& kernel, const Problem& problem) {
  return is_little(kernel, problem, started_by(kernel, problem));
}

Thoroughness thoroughness_of(const ShapedKernel& kernel, const Problem& problem, const ShapeLimits& limits,
                             MadeFor made_for) {
  const Started started = started_by(kernel, problem);
  const bool is_long = is_thin(problem) || (made_for == MadeFor::long_extent && started.blocks > kManyBlocks);
  if (is_long && !is_little(kernel, problem, started)) return Thoroughness::quick;
  if (started.warps > kTellingWarps) return Thoroughness::quick;
  const bool is_much = flops_of(kernel.family, problem) > limits.usual_flops || started.warps > kUsualWarps;
  return is_much ? Thoroughness::telling : Thoroughness::usual;
}

}  // namespace kerlab::session
