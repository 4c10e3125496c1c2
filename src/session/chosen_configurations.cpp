// Which configurations a check looks at.

#include <algorithm>

#include "session/check.h"

namespace kerlab {

ChosenConfigurations choose_configurations(const CheckOptions& options, const KernelFolder& folder,
                                           const Problem& asked, const DeviceInfo& device, const Database& database) {
  ChosenConfigurations chosen;
  const std::vector<std::string>& names = options.variants.empty() ? options.without_winner : options.variants;
  std::vector<const Variant*> variants;
  for (const std::string& name : names) {
    if (name != "all") variants.push_back(&find_variant(folder, name));
  }
  const auto winner = options.variants.empty() && options.configuration.empty() && !options.every_configuration
                          ? database.winner(asked.key(), device.device_class())
                          : std::nullopt;
  const auto winning = winner ? database.trial(winner->trial) : std::nullopt;
  if (winning) {
    const Variant& variant = find_variant(folder, winning->variant);
    chosen.sources.push_back({&variant, read_kernel_source(variant.source)});
    chosen.configurations.emplace_back(0, parse_configuration(variant, winning->configuration));
    return chosen;
  }
  if (variants.empty()) {
    for (const Variant& variant : folder.variants) variants.push_back(&variant);
  }
  if (!options.configuration.empty() && variants.size() != 1)
    throw UsageError("--config: say of which variant (--variant NAME)");
  for (const Variant* variant : variants) {
    if (std::string reason = unsupported_reason(*variant, asked, device); !reason.empty()) {
      chosen.notes.push_back(fmt::format("{} left out: {}", variant->name, reason));
      continue;
    }
    chosen.sources.push_back({variant, read_kernel_source(variant->source)});
    const std::size_t source = chosen.sources.size() - 1;
    if (options.every_configuration) {
      for (Configuration& configuration : enumerate(*variant, asked, device).valid)
        chosen.configurations.emplace_back(source, std::move(configuration));
    } else if (!options.configuration.empty()) {
      Configuration typed = parse_configuration(*variant, asked, device, options.configuration);
      if (const std::string broken = violated_constraint(*variant, asked, device, typed); !broken.empty())
        throw UsageError(fmt::format("--config: {} {} is not valid for {}: {}", variant->name,
                                     configuration_text(*variant, typed), asked.title(), broken));
      chosen.configurations.emplace_back(source, std::move(typed));
    } else {
      chosen.configurations.emplace_back(source, default_configuration(*variant, asked, device));
    }
  }
  if (chosen.configurations.empty()) {
    throw Error(fmt::format("no variant of {} supports {} on {}: {}", folder.family.name, asked.title(), device.name,
                            fmt::join(chosen.notes, "; ")),
                ExitCode::inconclusive);
  }
  return chosen;
}

}  // namespace kerlab
