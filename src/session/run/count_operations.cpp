#include "session/run/count_operations.h"

#include <algorithm>

#include "device/emu/emu_device_profile.h"
#include "plan/counters.h"
#include "session/run/device_class.h"
#include "session/run/single.h"
#include "session/run/space.h"

namespace kerlab::session {
namespace {

/// "H200" of "NVIDIA H200" and of "Emulated H200".
std::string model_name(const std::string& device) {
  return device.substr(device.find(' ') + 1);
}

std::string scope_of(const std::vector<CountedLaunch>& launches, const DeviceInfo& device) {
  std::int64_t blocks = 0, run = 0;
  for (const CountedLaunch& launch : launches) {
    blocks += launch.blocks;
    run += launch.blocks_run;
  }
  return run < blocks ? fmt::format("{} of {} blocks on {}", run, blocks, device.id)
                      : fmt::format("all {} blocks on {}", blocks, device.id);
}

}  // namespace

Operations operations_of(const Variant& variant, const Problem& problem, const Configuration& configuration,
                         const DeviceInfo& device, const std::vector<CountedLaunch>& counted) {
  Operations operations;
  const auto predicted = predicted_counts(variant, problem, configuration, device);
  Counts total;
  for (const CountedLaunch& launch : counted) total += scaled(launch.counts, launch.blocks, launch.blocks_run);
  operations.rows = compare_operations(predicted, counted.empty() ? nullptr : &total);
  if (!counted.empty()) operations.scope = scope_of(counted, device);
  return operations;
}

Operations predicted_operations(const Trial& trial, const KernelPlaces& kernels) {
  try {
    const KernelFolder folder = open_catalogue(kernels).find(trial.family);
    const Variant& variant = find_variant(folder, trial.variant);
    const Problem problem = make_problem(folder.family, request_of_key(folder.family, trial.problem));
    return operations_of(variant, problem, parse_configuration(variant, trial.configuration),
                         device_of_class(trial.device_class), {});
  } catch (const Error&) {
    return {};  // the family is gone, or has changed: the record is shown all the same
  }
}

std::string emulated_twin(const Trial& trial) {
  return emulated_twin(trial.device_class);
}

std::string emulated_twin(const std::string& device_class) {
  const DeviceInfo device = device_of_class(device_class);
  const std::vector<DeviceInfo> profiles = emu::list_emulated_devices(emu::profile_folder());
  const auto stands_for = [&](const DeviceInfo& profile) {
    return model_name(device.name).starts_with(model_name(profile.name));
  };
  const auto at = std::ranges::find_if(profiles, stands_for);
  return at == profiles.end() ? "emu:h200" : at->id;
}

Operations count_operations(const Trial& trial, RigOptions options) {
  Operations operations = predicted_operations(trial, options.kernels);
  try {
    if (!options.device.starts_with("emu:")) options.device = emulated_twin(trial);
    options.target = trial.family;
    options.jobs = 1;
    Rig rig(options);
    const KernelFolder& folder = rig.folder();
    const Variant& variant = find_variant(folder, trial.variant);
    const Problem problem = problem_for_device(folder, request_of_key(folder.family, trial.problem), rig.device());
    ProblemSetup setup = prepare_problem(folder, problem, rig.device());
    ProblemLoader(rig, setup, false).load();
    SingleOptions single;
    single.schedule = TimingSchedule{};
    single.deadline = generous_deadline(rig, setup, 1);
    const Configuration configuration = parse_configuration(variant, trial.configuration);
    const VariantSource source{&variant, read_kernel_source(variant)};
    const Evaluation result = run_single(rig, setup, source, configuration, single);
    if (result.counted.empty()) {
      operations.note = "not counted: " + result.candidate.trial.message;
    } else {
      operations = operations_of(variant, problem, configuration, rig.device(), result.counted);
      if (source.source.hash != trial.source_hash)
        operations.note =
            fmt::format("of today's {}: the trial ran an earlier text", variant.source.filename().string());
    }
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    operations.note = fmt::format("not counted: {}", error.what());
  }
  return operations;
}

}  // namespace kerlab::session
