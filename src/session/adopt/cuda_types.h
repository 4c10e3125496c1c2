#pragma once
// Types in the signatures of kernels, and what kerlab has for them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plan/dtype.h"

namespace kerlab::session {

/// Of what a pointer points to; none: nothing that a tensor holds.
std::optional<DType> element_of(std::string_view type);

/// The types that element_of knows, for who used another.
std::string known_elements();

/// float4 is four floats.
std::string without_lanes(const std::string& type);
int lanes_of(const std::string& type);

/// What sizeof gives of a type of one word: int8_t 1, float4 16; none: of no type that is known.
std::optional<std::int64_t> bytes_of_type(const std::string& type);

/// What is passed by value.
enum class ValueKind : std::uint8_t { none, int32, int64, fp32, fp64 };
ValueKind value_kind(std::string_view type);

/// A name of a source that a spec may use: with _ behind those that mean something there.
std::string name_in_spec(const std::string& name);

}  // namespace kerlab::session
