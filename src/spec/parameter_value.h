#pragma once
// Values of parameters that are words: true and false, names ("row", "float2"), dtypes. A Configuration holds an
// integer for each: the index of its word.

#include <string>
#include <vector>

#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

/// `values` and `default` of a [[parameter]]: all integers, all booleans or all names. Throws SpecError.
void read_values(const SpecTable& row, Parameter& parameter);

/// What expressions know of a parameter of names: LAYOUT.row is 1 or 0; of one of dtypes also ACC.bytes.
std::vector<Derived> named_values(const Parameter& parameter);

/// -DBM=64; -DUSE_LDG=1; -DVEC=float2 -DVEC_FLOAT2=1; -DACC=bf16_t -DACC_BF16=1 -DACC_BYTES=2.
std::vector<std::string> value_defines(const Parameter& parameter, std::int64_t value);

/// All of its values are dtypes.
bool holds_dtypes(const std::vector<std::string>& words);

/// Its values are names, so that it has no integer value.
bool is_named(const Parameter& parameter);

}  // namespace kerlab::spec
