#pragma once
// The names of types and special registers in PTX.

#include <optional>
#include <string_view>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

/// "f32" -> f32.
std::optional<Type> find_type(std::string_view name);
/// "%tid.x" -> tid_x.
std::optional<Special> find_special(std::string_view name);
std::string_view name(Special special);
std::string_view name(Space space);

}  // namespace kerlab::ptx
