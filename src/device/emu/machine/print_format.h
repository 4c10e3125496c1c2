#pragma once
// printf of a kernel.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::emu {

/// The text of a format and its packed arguments. `string_at` reads what %s points to. `taken`: how many arguments the
/// format has, which is what printf returns on a GPU. Missing arguments are told as "(missing)".
std::string format_printf(std::string_view format, std::string_view arguments,
                          const std::function<std::string(std::uint64_t)>& string_at, int& taken);

}  // namespace kerlab::emu
