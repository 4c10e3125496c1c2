// What `kerlab check` without a family looks at, and what it was like before.

#include <algorithm>

#include "session/check/check.h"

namespace kerlab::session {

StoredWinners stored_winners(const KernelFolder& folder, const DeviceInfo& device, const Database& database) {
  StoredWinners stored;
  const auto source_of = [&](const Variant& variant) {
    const auto known = std::find_if(stored.sources.begin(), stored.sources.end(),
                                    [&](const VariantSource& source) { return source.variant == &variant; });
    if (known != stored.sources.end()) return static_cast<std::size_t>(known - stored.sources.begin());
    stored.sources.push_back({&variant, read_kernel_source(variant)});
    return stored.sources.size() - 1;
  };
  for (const Decision& decision : database.winners()) {
    if (decision.family != folder.family.name || decision.device_class != device.device_class()) continue;
    const auto trial = database.trial(decision.trial);
    if (!trial) continue;
    try {
      const Variant& variant = find_variant(folder, trial->variant);
      StoredWinner winner;
      winner.problem = problem_for_device(folder, request_of_key(folder.family, trial->problem), device);
      winner.configuration = parse_configuration(variant, trial->configuration);
      std::string broken = unsupported_reason(variant, winner.problem, device);
      if (broken.empty()) broken = violated_constraint(variant, winner.problem, device, winner.configuration);
      if (!broken.empty()) throw UsageError(broken);
      winner.source = source_of(variant);
      stored.winners.push_back(std::move(winner));
    } catch (const Error& error) {
      stored.notes.push_back(
          fmt::format("the winner of {}, trial {}, cannot be checked: {}", trial->problem, trial->id, error.what()));
    }
  }
  return stored;
}

std::vector<AccuracyRecord> accuracy_history(const Trial& trial, const std::vector<Trial>& of_family) {
  std::vector<AccuracyRecord> history;
  for (const Trial& other : of_family) {
    if (other.id == trial.id || other.status != TrialStatus::passed || other.variant != trial.variant ||
        other.configuration != trial.configuration || other.problem != trial.problem ||
        other.device_class != trial.device_class)
      continue;
    history.push_back({other.id, other.error_ratio, other.source_hash, other.toolchain, other.created});
  }
  std::sort(history.begin(), history.end(), [](const auto& a, const auto& b) { return a.trial < b.trial; });
  return history;
}

}  // namespace kerlab::session
