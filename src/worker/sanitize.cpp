// A run in mode sanitize, on an emulated device.
#include "worker/workbench.h"

namespace kerlab::worker {
namespace {

Hazard hazard_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
      return Hazard::out_of_bounds;
    case FaultKind::misaligned_address:
      return Hazard::misaligned;
    case FaultKind::timeout:
      return Hazard::deadlock;
    default:
      return Hazard::other;
  }
}

/// What kernels may touch. Outputs hold nothing yet; nor do workspaces that nobody initialises.
std::vector<MemoryRegion> regions_of(const ProblemData& data, int set, const Candidate& candidate,
                                     const LaunchPlan& plan) {
  std::vector<MemoryRegion> regions;
  for (std::size_t i = 0; i < data.plan().tensors.size(); ++i) {
    const Tensor& tensor = data.plan().tensors[i];
    const GuardedBuffer& buffer = data.buffer(set, i);
    regions.push_back(
        {tensor.name, buffer.pointer(), static_cast<std::size_t>(buffer.bytes()), tensor.role != Role::output});
  }
  const std::vector<NamedBuffer> workspaces = candidate.workspaces();
  for (std::size_t i = 0; i < workspaces.size(); ++i) {
    const GuardedBuffer& buffer = *workspaces[i].buffer;
    regions.push_back({workspaces[i].name, buffer.pointer(), static_cast<std::size_t>(buffer.bytes()),
                       plan.workspaces[i].init != WorkspaceInit::none});
  }
  return regions;
}

bool is_ours(const BoundLaunch& launch) {
  return launch.kernel.starts_with("lab_");
}

SanitizedLaunch sanitized(Device& device, const BoundLaunch& launch) {
  SanitizedLaunch result;
  result.kernel = launch.kernel;
  try {
    LaunchReport report = device.launch(launch, LaunchMode::sanitize);
    result.blocks = report.blocks;
    result.blocks_run = report.blocks_run;
    result.findings = std::move(report.findings);
    result.faulted = report.faulted;
  } catch (const DeviceFault& fault) {
    if (fault.sticky() || fault.kind() == FaultKind::unsupported) throw;
    result.faulted = true;
    result.findings.push_back({hazard_of(fault.kind()), fault.what(), {}, {}, 1});
  }
  return result;
}

}  // namespace

Reply Workbench::serve(const request::Sanitize& sanitize) {
  Problem& p = problem();
  if (device_.info().kind != DeviceKind::emulated) throw Error("only an emulated device has the mode sanitize");
  Candidate& c = candidate(sanitize.id);
  const int set = p.data.set_with(0);
  for (const BoundLaunch& launch : p.data.restore_launches(set, 0)) device_.launch(launch);
  device_.describe_memory(regions_of(p.data, set, c, c.plan()));
  reply::Sanitized reply;
  for (const BoundLaunch& launch : c.launches(set)) {
    if (is_ours(launch)) {  // fills a workspace
      device_.launch(launch);
      continue;
    }
    reply.launches.push_back(sanitized(device_, launch));
    if (reply.launches.back().faulted) break;  // what comes after would read what it left undone
  }
  device_.describe_memory({});
  p.emulated_checker.forget_poison();
  p.data.distrust_all();
  return reply;
}

}  // namespace kerlab::worker
