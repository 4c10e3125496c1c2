#pragma once
// How sentences begin that are no matter of guards, where a report has room for one sentence.

#include <string_view>

namespace kerlab::verify {

/// SampleSet::guard_violation: a timed launch has written wrong results, or changed what it must not.
inline constexpr std::string_view kWrongWhenTimed = "wrong when it was timed: ";
/// CheckReport::guard_violation: mode sanitize found something, although the numbers are right.
inline constexpr std::string_view kHazardFound = "the numbers are right, but: ";

}  // namespace kerlab::verify
