#pragma once
// The fewest configurations of a variant, over the fewest problems, that together take every value of every parameter.

#include <map>
#include <set>
#include <vector>

#include "modules.h"
#include "spec/spec.h"

namespace kerlab::testing {

/// A parameter's index and one of its values.
using Value = std::pair<std::size_t, std::int64_t>;

std::set<Value> all_values(const Variant& variant);
/// "STAGES=7, SPLIT=32".
std::string values_text(const Variant& variant, const std::set<Value>& values);

/// Small problems of a family, the likeliest first: ragged, aligned, narrow, deep, in every dtype and combination of
/// the flags that are always said; last, each value of the flags and dimensions that need not be said.
std::vector<Problem> small_problems(const Family& family);

/// Valid configurations on one problem that together take as many of `wanted` as can be taken there, greedily the
/// fewest; takes those values out of `wanted`. Configurations in `banned` are passed over.
std::vector<Configuration> cover(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                 std::set<Value>& wanted, const std::set<Configuration>& banned = {});

}  // namespace kerlab::testing
