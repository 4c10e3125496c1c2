#include "session/find/shipped_kernel.h"

#include <algorithm>

#include "session/find/shipped.h"

namespace kerlab::session {

KnownKernel known_kernel(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device,
                         const std::string& variant, const std::string& configuration, std::string how) {
  const Variant& known = find_variant(folder, variant);
  Configuration values = parse_configuration(known, configuration);
  std::string broken = unsupported_reason(known, problem, device);
  if (broken.empty()) broken = violated_constraint(known, problem, device, values);
  if (!broken.empty()) throw UsageError(broken);
  return {&known, std::move(values), std::move(how)};
}

std::optional<KnownKernel> shipped_kernel(const std::filesystem::path& shipped, const KernelFolder& folder,
                                          const Problem& problem, const DeviceInfo& device, const std::string& variant,
                                          std::vector<std::string>& notes) {
  const auto tell = [&notes](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  };
  ShippedWinners read = read_shipped(shipped, shipped_device(device), folder.family.name);
  for (std::string& warning : read.warnings) tell(std::move(warning));
  for (const ShippedWinner& winner : read.winners) {
    if (winner.problem != problem.key() || (!variant.empty() && winner.variant != variant)) continue;
    try {
      return known_kernel(folder, problem, device, winner.variant, winner.configuration,
                          "shipped winner of " + winner.date);
    } catch (const Error& error) {
      tell(fmt::format("{}: the shipped winner of {} is left out: {} {}: {}", problem.title(), winner.date,
                       winner.variant, winner.configuration, error.what()));
    }
  }
  return std::nullopt;
}

}  // namespace kerlab::session
