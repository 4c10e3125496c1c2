// A run in mode sanitize, on an emulated device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verify/emulated/emulated_run.h"
#include "verify/verdict_words.h"
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

/// One run, launch by launch.
std::vector<SanitizedLaunch> sanitize(ProblemData& data, EmulatedChecker& checker, Candidate& candidate,
                                      std::uint32_t recipe) {
  Device& device = data.device();
  const int set = data.set_with(recipe);
  for (const BoundLaunch& launch : data.restore_launches(set, recipe)) device.launch(launch);
  device.describe_memory(regions_of(data, set, candidate, candidate.plan()));
  std::vector<SanitizedLaunch> launches;
  for (const BoundLaunch& launch : candidate.launches(set)) {
    if (is_ours(launch)) {  // fills a workspace
      device.launch(launch);
      continue;
    }
    launches.push_back(sanitized(device, launch));
    if (launches.back().faulted) break;  // what comes after would read what it left undone
  }
  device.describe_memory({});
  checker.forget_poison();
  data.distrust_all();
  return launches;
}

/// What of a thorough check is spent in mode sanitize on one configuration, by emulation_cost.
constexpr double kMostSanitized = 1;
constexpr double kWarpsOfMost = 1 << 17;  // to start so many costs as much, however little they do

double cost_of(const ProblemPlan& problem, const LaunchPlan& plan) {
  double warps = 0;
  for (const Launch& launch : plan.launches)
    warps += static_cast<double>(launch.grid.x) * launch.grid.y * launch.grid.z *
             std::ceil(static_cast<double>(launch.block.x) * launch.block.y * launch.block.z / 32);
  return std::max(emulation_cost(problem), warps / kWarpsOfMost);
}

/// The first, and where integers are drawn that which has them all at one address: what a block adds there is large.
std::vector<std::uint32_t> sanitized_recipes(const request::Check& check, const ProblemPlan& plan) {
  std::vector<std::uint32_t> chosen = {0};
  const auto is_equal = [&](std::uint32_t i) { return i != 0 && plan.recipes.at(i).integers == "equal"; };
  const auto equal = std::ranges::find_if(check.recipes, is_equal);
  if (equal != check.recipes.end()) chosen.push_back(*equal);
  return chosen;
}

}  // namespace

Reply Workbench::serve(const request::Sanitize& sanitize) {
  Problem& p = problem();
  if (!device_.info().counts_exactly) throw Error("only an emulated device has the mode sanitize");
  return reply::Sanitized{worker::sanitize(p.data, p.emulated_checker, candidate(sanitize.id), 0)};
}

/// Brief: the small problem, or the one that was asked for where it is small, as long as little was spent on this
/// configuration. What is read and was never written is left to `check --sanitize`: where it matters the poison shows.
std::string Workbench::hazard_of(const request::Check& check) {
  Problem& p = problem();
  Candidate* subject = &candidate(check.id);
  ProblemData* data = &p.data;
  EmulatedChecker* checker = &p.emulated_checker;
  if (p.small) {
    const auto found = p.small->candidates.find(check.id);
    if (found != p.small->candidates.end()) {
      subject = &found->second;
      data = &p.small->data;
      checker = &p.small->emulated_checker;
    }
  }
  if (!subject->pitched().empty()) return {};
  double& spent = sanitized_[p.labels[check.id]];
  const double cost = cost_of(data->plan(), subject->plan());
  try {
    for (const std::uint32_t recipe : sanitized_recipes(check, data->plan())) {
      if (spent + cost > kMostSanitized) return {};
      spent += cost;
      for (const SanitizedLaunch& launch : sanitize(*data, *checker, *subject, recipe))
        for (const Finding& finding : launch.findings)
          if (finding.hazard != Hazard::uninitialised)
            return fmt::format("{}{} in {} (of {}; kerlab check --sanitize tells the lines of the source): {}",
                               kHazardFound, name(finding.hazard), launch.kernel, data->plan().key, finding.message);
    }
  } catch (const DeviceFault& fault) {
    if (fault.kind() != FaultKind::unsupported) throw;
    device_.describe_memory({});  // nothing can be told of it
    data->distrust_all();
  }
  return {};
}

}  // namespace kerlab::worker
