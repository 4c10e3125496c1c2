#include "worker/count_cost.h"

#include <array>

#include "verify/problem_data.h"

namespace kerlab::worker {

CountedCost count_cost(Lab& lab, ProblemPlan plan, std::span<const std::byte> reference_image, const Launch& launch) {
  constexpr std::uint32_t kNotANumber = 0xffffffff;  // what nobody writes is no number
  Device& device = lab.device();
  plan.references.clear();  // nothing is compared: their values would take memory
  plan.before_reference.clear();
  plan.reference_workspaces.clear();
  ProblemData data(lab, std::move(plan), {}, ProblemData::Use::checks);
  const LoadedModule module(device, reference_image, "reference");
  std::array<double, 2> cost = {};
  const Allocation written(device, sizeof cost);
  device.fill(written.pointer(), kNotANumber, sizeof cost / sizeof kNotANumber);
  Addresses known = data.addresses(data.set_with(0));
  known["cost"] = written.pointer();
  device.prepare(module.id(), launch);
  device.launch(bind_launch(device, module.id(), launch, known));
  device.synchronize();
  device.copy_out(std::as_writable_bytes(std::span(cost)), written.pointer());
  return {cost[0], cost[1]};
}

}  // namespace kerlab::worker
