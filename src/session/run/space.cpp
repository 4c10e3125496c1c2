#include "session/run/space.h"

#include <algorithm>
#include <exception>
#include <set>

#include "base/format.h"
#include "search/known_values.h"
#include "spec/name_lists.h"
#include "spec/space/unsupported.h"

namespace kerlab::session {

namespace {

constexpr std::size_t kTriesOfRung = 6;                   // of one that is not swept, besides its default
constexpr std::size_t kMostCells = std::size_t{1} << 29;  // of the table of the search, a byte each

bool is_chosen(const Variant& variant, const VariantChoice& choice) {
  if (choice.names.empty()) return variant.tune || choice.ladder;
  return std::any_of(choice.names.begin(), choice.names.end(),
                     [&](const std::string& name) { return name == "all" || name == variant.name; });
}

/// Whether the variant's default is in the space; added when it is valid but not in the part that is swept.
bool hold_default(Space& space, const Configuration& configuration, const std::string& violated) {
  if (!violated.empty()) return false;
  if (std::find(space.valid.begin(), space.valid.end(), configuration) == space.valid.end())
    space.valid.push_back(configuration);
  return true;
}

/// Fewer of each where there are so many variants, or of so many different parameters, that the table of the search
/// would not fit in memory.
SpaceLimits limits_for(const KernelFolder& folder, const VariantChoice& choice) {
  std::size_t variants = 0;
  std::set<std::string> columns;
  for (const Variant& variant : folder.variants) {
    if (!is_chosen(variant, choice)) continue;
    ++variants;
    for (const Parameter& parameter : variant.parameters) columns.insert(parameter.name);
    for (const Derived& derived : variant.derived) columns.insert(derived.name);
  }
  const std::size_t most = kMostCells / (std::max<std::size_t>(1, variants) * (variants + columns.size()) + 1) + 1;
  SpaceLimits limits = kSearchLimits;
  limits.sampled = std::min(limits.sampled, most);
  limits.enumerated = std::min(limits.enumerated, 5 * most);
  return limits;
}

/// Where a variant of a stricter class takes part, those that cannot win are not tried.
bool some_are_admitted(const KernelFolder& folder, const VariantChoice& choice, const Problem& problem,
                       const DeviceInfo& device) {
  return std::ranges::any_of(folder.variants, [&](const Variant& variant) {
    return is_chosen(variant, choice) && variant.accuracy.within(choice.accuracy) &&
           unsupported(variant, problem, device).reason.empty();
  });
}

bool is_swept(const Variant& variant, const VariantChoice& choice) {
  return !choice.names.empty() || variant.tune;
}

/// Some of its configurations, spread over all of them.
Space thinned(const Space& space) {
  Space some{space.raw, 0, {}, false};
  const std::size_t all = space.valid.size(), count = std::min(all, kTriesOfRung);
  for (std::size_t i = 0; i < count; ++i) some.valid.push_back(space.valid[(2 * i + 1) * all / (2 * count)]);
  return some;
}

}  // namespace

std::optional<Configuration> stored_configuration(const Variant& variant, const std::string& text) {
  try {
    const Configuration configuration = parse_configuration(variant, text);
    return configuration_text(variant, configuration) == text ? std::optional(configuration) : std::nullopt;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

const Variant& find_variant(const KernelFolder& folder, const std::string& name) {
  std::vector<std::string> known;
  for (const Variant& variant : folder.variants) {
    if (variant.name == name) return variant;
    known.push_back(variant.name);
  }
  for (const Variant& variant : folder.variants)
    if (const std::vector<std::string> names = former_names(variant); std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("--variant {}: that is {} of {} now; ask for --variant {}", name, variant.name,
                                   folder.family.name, variant.name));
  const std::string near = nearest(name, known);
  throw UsageError(fmt::format("--variant {}: {} has no such variant{}; it has {}", name, folder.family.name,
                               near.empty() ? "" : fmt::format(", did you mean {}?", near), fmt::join(known, ", ")));
}

CandidateSpace::CandidateSpace(const KernelFolder& folder, const VariantChoice& choice, const Problem& problem,
                               const DeviceInfo& device)
    : admitted_(choice.accuracy) {
  for (const std::string& name : choice.names) {
    if (name != "all") find_variant(folder, name);
  }
  SpaceLimits limits = limits_for(folder, choice);
  const bool stricter = some_are_admitted(folder, choice, problem, device);
  std::exception_ptr empty;  // of a variant without any valid configuration: told where no other has one
  for (const Variant& variant : folder.variants) {
    if (!is_chosen(variant, choice)) continue;
    if (stricter && !admits(variant.accuracy)) {
      const std::string its = accuracy_text(variant.accuracy),
                        option = "--accuracy " + accuracy_option(variant.accuracy);
      left_out_.push_back({variant.name,
                           fmt::format("its results are of a weaker class ({}): it may win with {}", its, option),
                           fmt::format("{}: {}", its, option)});
      continue;
    }
    if (Unsupported why = unsupported(variant, problem, device); !why.reason.empty()) {
      left_out_.push_back({variant.name, std::move(why.reason), std::move(why.brief)});
      continue;
    }
    Space space;
    try {
      space = enumerate(variant, problem, device, limits);
    } catch (const SpecError& error) {
      if (!empty) empty = std::current_exception();
      left_out_.push_back({variant.name, error.what(), "nothing valid"});
      continue;
    }
    limits.steps -= space.steps;
    if (device.is_slow && !choice.all) {
      std::vector<Configuration> quick = quick_part(variant, problem, device, space);
      if (quick.size() < space.valid.size()) {
        left_for_all_ += space.count - quick.size();
        space.count = quick.size();
        space.sampled = false;  // the quick part is all there
      }
      space.valid = std::move(quick);
    }
    if (choice.ladder) {
      const Configuration configuration = default_configuration(variant);
      const std::string violated = violated_constraint(variant, problem, device, configuration);
      if (!is_swept(variant, choice)) space = thinned(space);
      if (!hold_default(space, configuration, violated)) {
        default_violates_[variant.name] =
            fmt::format("its default {} is not valid here: {}", configuration_text(variant, configuration), violated);
        if (space.valid.empty()) {
          left_out_.push_back({variant.name, default_violates_[variant.name], "default not valid"});
          continue;
        }
      }
    }
    variants_.push_back({{&variant, read_kernel_source(variant)}, std::move(space), is_swept(variant, choice)});
  }
  if (variants_.empty() && empty) std::rethrow_exception(empty);
  if (variants_.empty()) {
    std::string reasons;
    for (const auto& [name, reason, brief] : left_out_) reasons += fmt::format("\n  {}: {}", name, reason);
    if (reasons.empty()) reasons = " (none is marked tune = true; name one with --variant, or try --ladder)";
    throw Error(
        fmt::format("no variant of {} supports {} on {}:{}", folder.family.name, problem.title(), device.name, reasons),
        ExitCode::inconclusive);
  }
}

std::size_t CandidateSpace::size() const {
  std::size_t count = added_.size();
  for (const VariantSpace& variant : variants_) count += variant.space.valid.size();
  return count;
}

std::uint64_t CandidateSpace::raw_size() const {
  std::uint64_t count = 0;
  for (const VariantSpace& variant : variants_) count += variant.space.raw;
  return count;
}

std::uint64_t CandidateSpace::valid_size() const {
  std::uint64_t count = 0;
  for (const VariantSpace& variant : variants_)
    count += std::max<std::uint64_t>(variant.space.count, variant.space.valid.size());
  return count;
}

SearchSpace CandidateSpace::search_space(const Problem& problem, const DeviceInfo& device) {
  std::vector<SearchSpace::Part> parts;
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const Variant& variant = *variants_[v].source.variant;
    const Space& space = variants_[v].space;
    SearchSpace::Part& part = parts.emplace_back();
    part.variant = variant.name;
    for (const Parameter& parameter : variant.parameters) part.parameters.push_back(parameter.name);
    part.points = &space.valid;
    part.features = known_values(variant, problem, device, space.valid);
    if (!space.sampled) continue;
    const auto known = std::make_shared<KnownValues>(variant, problem, device);
    part.look_at = [known](const Configuration& configuration) { return known->of_valid(configuration); };
    part.admit = [this, v](const Configuration& configuration) { added_.emplace_back(v, configuration); };
  }
  return SearchSpace(std::move(parts));
}

bool CandidateSpace::sweeps(const std::string& variant) const {
  const auto is_variant = [&](const VariantSpace& candidate) { return candidate.source.variant->name == variant; };
  return std::any_of(variants_.begin(), variants_.end(), is_variant);
}

bool CandidateSpace::takes_part(const std::string& variant) const {
  return sweeps(variant) ||
         std::any_of(left_out_.begin(), left_out_.end(), [&](const LeftOut& left) { return left.variant == variant; });
}

std::vector<std::size_t> CandidateSpace::of_ladder() const {
  std::vector<std::size_t> indices;
  std::size_t index = 0;
  for (const VariantSpace& candidate : variants_) {
    const Configuration at_default = default_configuration(*candidate.source.variant);
    for (const Configuration& configuration : candidate.space.valid) {
      if (!candidate.is_swept || configuration == at_default) indices.push_back(index);
      ++index;
    }
  }
  return indices;
}

std::string CandidateSpace::default_violates(const std::string& variant) const {
  const auto at = default_violates_.find(variant);
  return at == default_violates_.end() ? "" : at->second;
}

CandidateSpace::Place CandidateSpace::place(std::size_t index) const {
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const auto& valid = variants_[v].space.valid;
    if (index < valid.size()) return {v, &valid[index]};
    index -= valid.size();
  }
  return {added_[index].first, &added_[index].second};
}

std::optional<std::pair<std::size_t, Configuration>> CandidateSpace::parse(const std::string& variant,
                                                                           const std::string& configuration) const {
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const Variant& known = *variants_[v].source.variant;
    if (known.name != variant) continue;
    if (auto values = stored_configuration(known, configuration)) return std::pair(v, std::move(*values));
  }
  return std::nullopt;
}

std::optional<std::size_t> CandidateSpace::find(const std::string& variant, const std::string& configuration) const {
  const auto wanted = parse(variant, configuration);
  std::size_t before = 0;
  for (std::size_t v = 0; v < variants_.size() && wanted; ++v) {
    const auto& valid = variants_[v].space.valid;
    const auto at = v == wanted->first ? std::find(valid.begin(), valid.end(), wanted->second) : valid.end();
    if (at != valid.end()) return before + static_cast<std::size_t>(at - valid.begin());
    before += valid.size();
  }
  return std::nullopt;
}

}  // namespace kerlab::session
