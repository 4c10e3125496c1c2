#pragma once
// The fewest configurations of a variant that together take every value of every parameter.

#include <set>
#include <vector>

#include "spec/spec.h"

namespace kerlab::session {

/// A parameter's index and one of its values.
using ParameterValue = std::pair<std::size_t, std::int64_t>;

std::set<ParameterValue> all_values(const Variant& variant);
/// "STAGES=7, SPLIT=32".
std::string values_text(const Variant& variant, const std::set<ParameterValue>& values);

/// Valid configurations on one problem that together take as many of `wanted` as can be taken there, greedily the
/// fewest; takes those values out of `wanted`. Configurations in `banned` are passed over.
std::vector<Configuration> cover(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 std::set<ParameterValue>& wanted, const std::set<Configuration>& banned = {});

/// `first`, then configurations with which it takes every value that the problem allows. `without`: what it does not.
std::vector<Configuration> covering_configurations(const Variant& variant, const Problem& problem,
                                                   const DeviceInfo& device, Configuration first,
                                                   std::set<ParameterValue>& without);

}  // namespace kerlab::session
