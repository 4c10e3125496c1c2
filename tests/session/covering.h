#pragma once
// Problems on which the fewest configurations of a variant together take every value of every parameter.

#include <map>
#include <set>
#include <vector>

#include "modules.h"
#include "session/shapes/covering.h"
#include "spec/spec.h"

namespace kerlab::testing {

using Value = session::ParameterValue;
using session::all_values;
using session::cover;
using session::values_text;

/// Small problems of a family, the likeliest first: ragged, aligned, narrow, deep, in every dtype and combination of
/// the flags that are always said; last, each value of the flags and dimensions that need not be said.
std::vector<Problem> small_problems(const Family& family);

}  // namespace kerlab::testing
