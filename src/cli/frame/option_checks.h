#pragma once
// What the values of numeric options are checked by: each says what is expected and what was typed.

#include <cstdint>
#include <limits>

#include "base/modules.h"

namespace CLI {
class Validator;
}

namespace kerlab::cli {

/// A whole number in [low, high]; a `high` of int64's most stays unsaid.
CLI::Validator takes_whole(std::int64_t low, std::int64_t high = std::numeric_limits<std::int64_t>::max());
/// A number in [low, high].
CLI::Validator takes_number(double low, double high);
/// A time in [low, high] seconds: "30", "30s", "2m", "1h", "500ms". The option sees seconds.
CLI::Validator takes_time(double low, double high);

}  // namespace kerlab::cli
