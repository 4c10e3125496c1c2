// A run in mode sanitize, on an emulated device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/launch_size.h"
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
constexpr double kMostOfSpecials = 0.1;   // beside it, on each program, where infinities and NaN go ways of their own
constexpr double kWarpsOfMost = 1 << 17;  // to start so many costs as much, however little they do

double cost_of(const ProblemPlan& problem, const LaunchPlan& plan) {
  double warps = 0;
  for (const Launch& launch : plan.launches) warps += warps_in_grid(launch);
  return std::max(emulation_cost(problem), warps / kWarpsOfMost);
}

bool has_not_a_number(const Recipe& recipe) {
  return std::ranges::any_of(recipe.plants, [](const Plant& plant) { return std::isnan(plant.value); });
}

bool has_specials(const Recipe& recipe) {
  return std::ranges::any_of(recipe.plants, [](const Plant& plant) { return !std::isfinite(plant.value); });
}

struct Sanitized {
  std::uint32_t recipe = 0;
  bool special = false;  ///< at the cost of its program
};

/// The first, and where integers are drawn that which has them all at one address: what a block adds there is large.
/// And one with infinities or NaN.
std::vector<Sanitized> sanitized_recipes(const request::Check& check, const ProblemPlan& plan) {
  std::vector<Sanitized> chosen = {{0}};
  const auto is_equal = [&](std::uint32_t i) { return i != 0 && plan.recipes.at(i).integers == "equal"; };
  const auto equal = std::ranges::find_if(check.recipes, is_equal);
  if (equal != check.recipes.end()) chosen.push_back({*equal});
  const auto first_with = [&](bool (*has)(const Recipe&)) {
    return std::ranges::find_if(check.recipes, [&](std::uint32_t i) { return has(plan.recipes.at(i)); });
  };
  auto special = first_with(has_not_a_number);
  if (special == check.recipes.end()) special = first_with(has_specials);
  if (special != check.recipes.end()) chosen.push_back({*special, true});
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
  const double cost = cost_of(data->plan(), subject->plan());
  try {
    for (const auto& [recipe, special] : sanitized_recipes(check, data->plan())) {
      double& spent = sanitized_[special ? p.programs[check.id] : p.labels[check.id]];
      if (spent + cost > (special ? kMostOfSpecials : kMostSanitized)) continue;
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
