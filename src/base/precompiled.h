#pragma once
// Precompiled for kerlab_core and the tests: the standard and fmt headers that nearly every file includes.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
