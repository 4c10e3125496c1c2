#include "session/find/known_kernels.h"

#include "session/find/subject.h"

namespace kerlab::session {

namespace {

/// None where today's variant has other parameters than the stored one, or rejects it.
std::optional<Configuration> still_valid(const Trial& trial, const Variant& variant, const Problem& problem,
                                         const DeviceInfo& device) {
  try {
    Configuration configuration = parse_configuration(variant, trial.configuration);
    if (violated_constraint(variant, problem, device, configuration).empty()) return configuration;
  } catch (const UsageError&) {
  }
  return std::nullopt;
}

}  // namespace

std::optional<KnownKernel> KnownKernels::winner(const Problem& problem, std::vector<std::string>& notes) const {
  const auto decision = database.winner(problem.key(), device.device_class());
  const auto trial = decision ? database.trial(decision->trial) : std::nullopt;
  if (!trial) return shipped_kernel(shipped, folder, problem, device, "", notes);
  const Variant& variant = find_variant(folder, trial->variant);
  return KnownKernel{&variant, parse_configuration(variant, trial->configuration), "winner"};
}

KnownKernel KnownKernels::best(const Variant& variant, const Problem& problem, std::vector<std::string>& notes) const {
  const CompletedConfiguration at_default = complete_configuration(variant, problem, device, "");
  KnownKernel best{&variant, at_default.configuration, how_completed("default", at_default)};
  double best_us = 0;
  for (const Trial& trial : database.trials(problem.key(), device.device_class())) {
    if (trial.variant != variant.name || trial.status != TrialStatus::passed) continue;
    auto measurement = database.latest_measurement(trial.id, TimingStage::final);
    if (!measurement) measurement = database.latest_measurement(trial.id, TimingStage::screen);
    if (!measurement || (best_us > 0 && measurement->median_us >= best_us)) continue;
    auto configuration = still_valid(trial, variant, problem, device);
    if (!configuration) continue;
    best_us = measurement->median_us;
    best = {&variant, std::move(*configuration), "best stored"};
  }
  if (best_us > 0) return best;
  return shipped_kernel(shipped, folder, problem, device, variant.name, notes).value_or(std::move(best));
}

}  // namespace kerlab::session
