#pragma once
// A configuration as it was typed, few parameters of many, made whole for a problem; and what that took.

#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::spec {

struct ParameterChange {
  std::string parameter;
  std::string from, to;
};

struct CompletedConfiguration {
  /// Valid; where nothing that was typed can be, what was typed, with the other values as they were.
  Configuration configuration;
  bool valid = true;
  bool by_default = false;  ///< nothing was typed
  /// What rejects the typed values beside the other values as they were: "constraint 'k_step': ... does not hold", or
  /// what rejects them whatever the others are. Empty: nothing, and nothing was changed.
  std::string broken;
  /// What was changed to be valid, none of it typed. Where that is not possible: what the nearest valid configuration
  /// has besides, typed values too; none where the whole space is empty.
  std::vector<ParameterChange> changes;
};

/// As without `named`, which tells the parameters that the text names.
Configuration parse_configuration(const Variant& variant, const std::string& text, std::vector<bool>& named);
/// As without `of`, but of values and constraints that concern no other parameters than these.
std::string violated_constraint(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration, const std::vector<bool>& of);

/// "BM=64,BN=128" or "BM=64 BN=128": the parameters that are not named take their defaults, or where a constraint
/// rejects these the values of the valid configuration that differs in the fewest. Throws UsageError for what is no
/// NAME=VALUE of the variant.
CompletedConfiguration complete_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                              const std::string& text);
/// The same from any other values: `wanted` where `typed` says so stays.
CompletedConfiguration complete_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                              const Configuration& wanted, const std::vector<bool>& typed);

/// "MIN_BLOCKS 2 -> 1, TN 8 -> 16"
std::string changes_text(const std::vector<ParameterChange>& changes);

/// The sentence that every command says: "not valid as typed: constraint 'k_step': BK % 16 == 0 does not hold; nearest
/// valid: BK 8 -> 16"; of defaults "the default is not valid here: ...". Empty where nothing was changed.
std::string completion_remark(const CompletedConfiguration& completed);

/// Throws UsageError where it is not valid: what was typed, what rejects it, the nearest valid one.
void require_valid(const CompletedConfiguration& completed, const Variant& variant, const Problem& problem);

}  // namespace kerlab::spec
