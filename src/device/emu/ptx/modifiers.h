#pragma once
// What the parts of an opcode after its base mean.

#include <initializer_list>
#include <optional>
#include <string_view>

#include "device/emu/ptx/ir.h"

namespace kerlab::ptx {

bool is_any(std::string_view name, std::initializer_list<std::string_view> names);
/// "x4" after "x": 4.
std::optional<int> number_after(std::string_view text, std::string_view prefix);

/// Each returns whether the part is such a modifier; then it is noted.
/// What can follow one opcode only, or means something else there.
bool particular_modifier(Opcode opcode, std::string_view part, Modifiers& to);
/// Roundings, flags and shapes.
bool general_modifier(std::string_view part, Modifiers& to);
/// m16n8k16, m8n8.
bool shape_modifier(std::string_view part, Modifiers& to);
bool order_modifier(std::string_view part, Modifiers& to);
bool space_modifier(std::string_view part, Space& to);

}  // namespace kerlab::ptx
