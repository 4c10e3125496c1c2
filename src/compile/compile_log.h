#pragma once

#include <string>

#include "base/modules.h"

namespace kerlab::compile {

/// The first error of a log with the source line it points at (for inline assembly: the PTX line); empty without one.
std::string first_error(const std::string& log, const std::string& ptx);

}  // namespace kerlab::compile
