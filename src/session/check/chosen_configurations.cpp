// Which configurations a check looks at.

#include <algorithm>
#include <functional>
#include <set>

#include "session/check/check.h"
#include "session/find/shipped_kernel.h"
#include "session/find/subject.h"
#include "session/shapes/covering.h"

namespace kerlab::session {

namespace {

/// The stored winner of the problem, where today's kernels take it.
std::optional<KnownKernel> stored_kernel(const KernelFolder& folder, const Problem& asked, const DeviceInfo& device,
                                         const Database& database, std::vector<std::string>& notes) {
  const auto winner = database.winner(asked.key(), device.device_class());
  const auto trial = winner ? database.trial(winner->trial) : std::nullopt;
  if (!trial) return std::nullopt;
  try {
    return known_kernel(folder, asked, device, trial->variant, trial->configuration,
                        fmt::format("winner, trial {}", trial->id));
  } catch (const Error& error) {
    const std::string note =
        fmt::format("the winner of {}, trial {}, is left out: {}", asked.title(), trial->id, error.what());
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    return std::nullopt;
  }
}

/// The stored winner of the problem, else the shipped one; of `variant` only, where it is not empty.
std::optional<KnownKernel> winning_kernel(const CheckOptions& options, const KernelFolder& folder, const Problem& asked,
                                          const DeviceInfo& device, const Database& database,
                                          const std::string& variant, std::vector<std::string>& notes) {
  if (auto stored = stored_kernel(folder, asked, device, database, notes);
      stored && (variant.empty() || stored->variant->name == variant))
    return stored;
  auto shipped = shipped_kernel(options.shipped, folder, asked, device, variant, notes);
  if (shipped) notes.push_back(fmt::format("{}: {}, {}", asked.title(), shipped->variant->name, shipped->how));
  return shipped;
}

Configuration typed_configuration(const Variant& variant, const Problem& asked, const DeviceInfo& device,
                                  const std::string& text, std::string& completion) {
  CompletedConfiguration completed = complete_configuration(variant, asked, device, text);
  require_valid(completed, variant, asked);
  completion = completion_remark(completed);
  announce_completion(variant.name, completion);
  return std::move(completed.configuration);
}

/// Those that were named; without a name every one.
std::vector<const Variant*> named_variants(const CheckOptions& options, const KernelFolder& folder) {
  std::vector<const Variant*> variants;
  for (const std::string& name : options.variants.empty() ? options.without_winner : options.variants)
    if (name != "all") variants.push_back(&find_variant(folder, name));
  if (variants.empty())
    for (const Variant& variant : folder.variants) variants.push_back(&variant);
  return variants;
}

/// Finds the winner of the variant of this name.
using FindWinner = std::function<std::optional<KnownKernel>(const std::string& variant)>;

/// Of a variant that supports the problem: all that are valid, or the one typed, or its winner, or its defaults.
std::vector<Configuration> configurations_of(const Variant& variant, const CheckOptions& options, const Problem& asked,
                                             const DeviceInfo& device, const FindWinner& winning,
                                             std::string& completion) {
  if (options.every_configuration) return enumerate(variant, asked, device).valid;
  if (!options.configuration.empty())
    return {typed_configuration(variant, asked, device, options.configuration, completion)};
  if (auto known = winning(variant.name)) return {std::move(known->configuration)};
  return {default_configuration(variant, asked, device)};
}

/// Beside what was chosen so many of each variant that every value of its parameters is among them.
void add_every_value(ChosenConfigurations& chosen, const Problem& asked, const DeviceInfo& device) {
  std::set<std::size_t> done;
  std::vector<std::pair<std::size_t, Configuration>> all;
  for (const auto& [source, configuration] : chosen.configurations) {
    if (!done.insert(source).second) continue;
    const Variant& variant = *chosen.sources[source].variant;
    std::set<ParameterValue> without;
    for (Configuration& one : covering_configurations(variant, asked, device, configuration, without))
      all.emplace_back(source, std::move(one));
    if (!without.empty())
      chosen.notes.push_back(fmt::format("{}: not checked, since {} allows none of them: {}", variant.name,
                                         asked.title(), values_text(variant, without)));
  }
  chosen.configurations = std::move(all);
}

ChosenConfigurations plainly_chosen(const CheckOptions& options, const KernelFolder& folder, const Problem& asked,
                                    const DeviceInfo& device, const Database& database) {
  ChosenConfigurations chosen;
  const std::vector<const Variant*> variants = named_variants(options, folder);
  const FindWinner winning = [&](const std::string& variant) {
    return winning_kernel(options, folder, asked, device, database, variant, chosen.notes);
  };
  if (options.variants.empty() && options.configuration.empty() && !options.every_configuration) {
    if (auto winner = winning("")) {
      chosen.sources.push_back({winner->variant, read_kernel_source(*winner->variant)});
      chosen.configurations.emplace_back(0, std::move(winner->configuration));
      return chosen;
    }
  }
  if (!options.configuration.empty() && variants.size() != 1)
    throw UsageError("--config: say of which variant (--variant NAME)");
  for (const Variant* variant : variants) {
    if (std::string reason = unsupported_reason(*variant, asked, device); !reason.empty()) {
      chosen.notes.push_back(fmt::format("{} left out: {}", variant->name, reason));
      continue;
    }
    chosen.sources.push_back({variant, read_kernel_source(*variant)});
    const std::size_t source = chosen.sources.size() - 1;
    for (Configuration& configuration : configurations_of(*variant, options, asked, device, winning, chosen.completion))
      chosen.configurations.emplace_back(source, std::move(configuration));
  }
  if (chosen.configurations.empty()) {
    throw Error(fmt::format("no variant of {} supports {} on {}: {}", folder.family.name, asked.title(), device.name,
                            fmt::join(chosen.notes, "; ")),
                ExitCode::inconclusive);
  }
  return chosen;
}

}  // namespace

ChosenConfigurations choose_configurations(const CheckOptions& options, const KernelFolder& folder,
                                           const Problem& asked, const DeviceInfo& device, const Database& database) {
  ChosenConfigurations chosen = plainly_chosen(options, folder, asked, device, database);
  if (options.every_value && !options.every_configuration) add_every_value(chosen, asked, device);
  return chosen;
}

}  // namespace kerlab::session
