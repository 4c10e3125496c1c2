// EmuDevice: modules and launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "device/emu/emu_device.h"
#include "device/emu/machine/program.h"
#include "device/launch_limits.h"
#include "plan/occupancy.h"

namespace kerlab::emu {
namespace {

constexpr std::uint64_t kSampleSeed = 1;
// Blocks that promise neither an order nor to run all at once: on a device of so many multiprocessors they end as well.
constexpr int kFewSms = 3;
constexpr std::int64_t kBudgetOfSome = std::int64_t{1} << 22;  // warp instructions: who waits does so in vain

std::int64_t volume(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

/// All of them from the last to the first; none where they are too many to list.
std::vector<std::int64_t> descending(std::int64_t blocks) {
  constexpr std::int64_t kMost = 1 << 20;
  std::vector<std::int64_t> listed(blocks > kMost ? 0 : static_cast<std::size_t>(blocks));
  std::iota(listed.rbegin(), listed.rend(), 0);
  return listed;
}

/// The arguments where the kernel's declaration puts them. Throws DeviceFault(launch_failed) where they do not fit it.
std::vector<std::byte> parameter_block(const EmuModule::Kernel& kernel, const BoundLaunch& launch) {
  const auto& parameters = kernel.parameters;
  if (parameters.size() != launch.arguments.size())
    throw DeviceFault(FaultKind::launch_failed,
                      fmt::format("kernel '{}' has {} parameters, the launch {} arguments", launch.kernel,
                                  parameters.size(), launch.arguments.size()),
                      false);
  std::vector<std::byte> block(static_cast<std::size_t>(kernel.ptx->parameter_bytes));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<std::byte>& argument = launch.arguments[i];
    if (static_cast<std::int64_t>(argument.size()) != parameters[i].bytes)
      throw DeviceFault(FaultKind::launch_failed,
                        fmt::format("kernel '{}': parameter {} has {} bytes, the launch's argument {}", launch.kernel,
                                    i, parameters[i].bytes, argument.size()),
                        false);
    std::memcpy(block.data() + parameters[i].offset, argument.data(), argument.size());
  }
  return block;
}

/// Nothing is copied but what launch_limit_error looks at.
Launch shape_of(const BoundLaunch& launch) {
  Launch shape;
  shape.kernel = launch.kernel;
  shape.grid = launch.grid;
  shape.block = launch.block;
  shape.cluster = launch.cluster;
  shape.dynamic_shared = launch.dynamic_shared;
  shape.cooperative = launch.cooperative;
  shape.programmatic = launch.programmatic;
  shape.carveout = launch.carveout;
  return shape;
}

std::string never_waits(const std::string& kernel) {
  return fmt::format(
      "kernel '{}': launched with programmatic = true, and has no griddepcontrol.wait: nothing orders it behind the "
      "launch before it; call cudaGridDependencySynchronize() before it touches what others write or read",
      kernel);
}

std::string syncs_alone(const std::string& kernel) {
  return fmt::format(
      "kernel '{}': it has cooperative_groups' grid.sync(), which a GPU ends unless all blocks run at once: say "
      "cooperative = true at its [[launch]]",
      kernel);
}

/// Resources with occupancy. Throws DeviceFault when the device cannot run the launch.
KernelResources fit(const DeviceInfo& device, const Launch& launch, const EmuModule::Kernel& kernel, FaultKind kind) {
  KernelResources resources = kernel.resources;
  std::string error = launch_limit_error(device, launch, resources);
  if (error.empty() && launch.programmatic && !kernel.waits_for_others) error = never_waits(launch.kernel);
  if (error.empty() && kernel.syncs_grid && !launch.cooperative) error = syncs_alone(launch.kernel);
  if (error.empty()) {
    const auto shared = static_cast<int>(launch.dynamic_shared) + resources.static_shared;
    const Occupancy found =
        occupancy(device, static_cast<int>(volume(launch.block)), resources.registers, shared, launch.carveout);
    resources.blocks_per_sm = found.blocks;
    if (found.blocks == 0)
      error = fmt::format("kernel '{}': no block fits on an SM ({})", launch.kernel, found.limiter);
    if (error.empty()) error = cooperative_error(device, launch, found.blocks);
  }
  if (!error.empty()) throw DeviceFault(kind, error, false);
  return resources;
}

}  // namespace

EmuModule& EmuDevice::module(ModuleId id) {
  const auto found = modules_.find(id);
  if (found == modules_.end()) throw DeviceFault(FaultKind::other, fmt::format("no module {}", id), false);
  return found->second;
}

ModuleId EmuDevice::load(std::span<const std::byte> image, std::string_view label) {
  modules_.try_emplace(next_id_, memory_, info_, image, label);
  return next_id_++;
}

KernelResources EmuDevice::prepare(ModuleId id, const Launch& launch) {
  return fit(info_, launch, module(id).kernel(launch.kernel), FaultKind::load_failed);
}

LaunchReport EmuDevice::launch(const BoundLaunch& launch, LaunchMode mode) {
  EmuModule& code = module(launch.module);
  if (code.is_lab() && lab_.run(launch)) {
    assume_initialised(launch);
    LaunchReport report;
    report.emulated = true;
    report.blocks = report.blocks_run = volume(launch.grid);
    return report;
  }
  return execute(code, launch, mode);
}

/// Nobody watches what the launch writes: all that its arguments point to.
void EmuDevice::assume_initialised(const BoundLaunch& launch) {
  for (const std::vector<std::byte>& argument : launch.arguments) {
    for (std::size_t i = 0; i + sizeof(DevicePtr) <= argument.size(); i += sizeof(DevicePtr)) {
      DevicePtr pointer = 0;
      std::memcpy(&pointer, argument.data() + i, sizeof pointer);
      if (const auto range = memory_.find(pointer)) memory_.initialised().add(range->begin, range->end);
    }
  }
}

LaunchReport EmuDevice::execute(EmuModule& code, const BoundLaunch& launch, LaunchMode mode) {
  const EmuModule::Kernel& kernel = code.kernel(launch.kernel);
  const KernelResources resources = fit(info_, shape_of(launch), kernel, FaultKind::launch_failed);
  const std::vector<std::byte> parameters = parameter_block(kernel, launch);
  code.clear_grid_workspace();
  emu::MachineLaunch run;
  run.program = kernel.program.get();
  run.memory = &memory_;
  run.grid = launch.grid;
  run.block = launch.block;
  run.cluster = launch.cluster;
  run.dynamic_shared = launch.dynamic_shared;
  run.parameters = parameters;
  run.threads = options_.threads;
  run.instruction_budget = options_.instruction_budget;
  run.multiprocessors = info_.sms;
  run.count = mode == LaunchMode::count;
  run.sanitize = mode == LaunchMode::sanitize;
  // Nobody promises an order, nor that all run at once: who relies on either must say so.
  run.first_begins_last = run.sanitize && !launch.cooperative && !launch.in_order;
  const int sms = run.first_begins_last ? std::min(kFewSms, info_.sms) : info_.sms;
  run.resident_blocks = std::max(std::int64_t{resources.blocks_per_sm} * sms, 2 * volume(launch.cluster));
  if (!run.sanitize) assume_initialised(launch);
  const bool some = mode == LaunchMode::check_some;
  const bool checked = mode == LaunchMode::check || mode == LaunchMode::check_all || some;
  if (some) run.instruction_budget = kBudgetOfSome;
  run.record_writes = checked || run.count;
  run.impatient = checked && next_is_impatient();
  run.last_warp_first = (checked || run.sanitize) && last_warp_first();
  run.parts_active = run.sanitize || run.impatient;
  run.grid_workspace = code.grid_workspace();
  run.kept_shared = checked ? kept_shared_.get() : nullptr;
  const bool sampled = (mode == LaunchMode::check || mode == LaunchMode::count || some) && options_.sample_blocks > 0;
  const emu::InFlight before = std::exchange(in_flight_, {});
  if (run.sanitize && launch.programmatic) run.before = &before;
  if (run.sanitize) run.after = &in_flight_;
  const emu::ShownParts parts(memory_, run.sanitize ? regions_ : std::vector<MemoryRegion>{});
  try {
    if (sampled && (resources.independent_blocks || some)) {
      const Dim3 cluster = emu::cluster_extent(*run.program, launch.grid, launch.cluster);
      run.blocks = emu::sample_clusters(launch.grid, cluster, options_.sample_blocks, kSampleSeed);
    } else if (checked && run.program->communication == ptx::Communication::ordered && last_block_first()) {
      run.blocks = descending(volume(launch.grid));
    } else if (checked && run.program->communication == ptx::Communication::communicating) {
      run.schedule = next_schedule();
      if (run.schedule == emu::Schedule::shuffled) run.hold_back = next_held_back();
    } else if (run.sanitize && run.program->communication == ptx::Communication::communicating) {
      run.schedule = next_sanitized();
    }
    return emu::run(run);
  } catch (const DeviceFault& fault) {
    // The machine calls a fault sticky, as on a GPU; here the next launch is as good as any.
    throw DeviceFault(fault.kind(), fmt::format("kernel '{}': {}", launch.kernel, fault.what()), false);
  }
}

void EmuDevice::keep_shared_memory(bool keep) {
  kept_shared_ = keep ? std::make_unique<emu::KeptShared>() : nullptr;
}

GraphId EmuDevice::capture(std::span<const BoundLaunch> launches, int repeats) {
  graphs_[next_id_] = {{launches.begin(), launches.end()}, repeats};
  return next_id_++;
}

/// No GPU promises an order of blocks. Where it shows (sums by atomics), checks are executed in one or the other by
/// turns that repeat nowhere, so that the runs of a check differ as they do on a GPU.
bool EmuDevice::last_block_first() {
  return ((++ordered_checks_ * 0x9e3779b97f4a7c15U) >> 63) != 0;
}

/// The same of the warps of a block: whose sums, places or ties go by who comes first has other ones.
bool EmuDevice::last_warp_first() {
  return ((++warp_checks_ * 0x9e3779b97f4a7c15U) >> 62 & 1) != 0;  // not by the turns of next_is_impatient
}

/// The same of blocks that wait for each other. Of four checks in a row one or two are ascending.
emu::Schedule EmuDevice::next_schedule() {
  constexpr emu::Schedule kSchedules[] = {emu::Schedule::descending, emu::Schedule::ascending, emu::Schedule::shuffled,
                                          emu::Schedule::descending};
  return kSchedules[(++scheduled_checks_ * 0x9e3779b97f4a7c15U) >> 62];
}

/// Of those that are shuffled each time another one, or at another place: small numbers of blocks are gone through.
std::uint32_t EmuDevice::next_held_back() {
  constexpr std::uint32_t kStep = 5;  // of four places the next one, of blocks too
  return kStep * held_back_++ + 1;
}

/// A try of an mbarrier may end by its time limit at any time: in one check or the other it does so at once.
bool EmuDevice::next_is_impatient() {
  return ((++impatient_checks_ * 0x9e3779b97f4a7c15U) >> 63) != 0;
}

/// In mode sanitize shuffled first: who draws its tile from a counter has its place in the order by itself, whichever
/// block goes first. What an older one tells is met before it is overwritten then.
emu::Schedule EmuDevice::next_sanitized() {
  constexpr emu::Schedule kSchedules[] = {emu::Schedule::shuffled, emu::Schedule::descending, emu::Schedule::ascending};
  return kSchedules[sanitized_++ % std::size(kSchedules)];
}

void EmuDevice::launch_graph(GraphId graph) {
  const Graph& captured = graphs_.at(graph);
  for (int i = 0; i < captured.repeats; ++i)
    for (const BoundLaunch& one : captured.launches) launch(one, LaunchMode::run);
}

}  // namespace kerlab::emu
