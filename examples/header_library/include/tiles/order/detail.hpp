#pragma once
// Of order/layout.hpp. access/ has a file of the same name.
#include <cstdint>
#include <utility>

namespace tiles {

struct row {};
struct col {};
using Place = std::pair<std::int32_t, std::int32_t>;

}  // namespace tiles
