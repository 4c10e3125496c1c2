#pragma once
// Where along a dimension something ends.

#include <cstdint>

namespace kerlab::session {

/// The largest extent from `low` on at which `holds` is still true, by bisection: `holds` is true at `low`, false at
/// `high`, and changes once in between (asked of neither end).
template <typename Holds>
std::int64_t last_extent(std::int64_t low, std::int64_t high, const Holds& holds) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace kerlab::session
