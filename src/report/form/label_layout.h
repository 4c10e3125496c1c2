#pragma once
// Places for labels that must not overlap.

#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

/// The wanted places of labels, in ascending order, moved as little as a least `distance` between neighbours allows,
/// and to within `low` and `high` (when there is not room enough for all, `high` holds and `low` does not).
std::vector<double> spread_labels(const std::vector<double>& wanted, double distance, double low, double high);

/// Lines of at most `width` characters, broken at spaces; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, int width);

}  // namespace kerlab::report
