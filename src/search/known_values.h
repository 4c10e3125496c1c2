#pragma once
// What is known of configurations without compiling them: derived values, and of each launch blocks, threads, shared
// memory.

#include "search/search_space.h"

namespace kerlab {

/// Values that all configurations share, or that cannot be computed for one, are left out.
std::vector<SearchSpace::Feature> known_values(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                               const std::vector<Configuration>& configurations);

}  // namespace kerlab
