#pragma once
// When something was: always UTC, as text that sorts.

#include <string>

namespace kerlab {

/// "2026-11-21T09:30:00.123Z"
std::string utc_now();
/// "2026-11-21"
std::string utc_date();

}  // namespace kerlab
