#pragma once
// The hidden commands `kerlab worker --device ID` and `kerlab compiler`: bodies of child processes.

#include <optional>

#include "base/modules.h"

namespace kerlab::session {

/// The exit code, when the arguments ask for a child; decided by plain comparison, before any parser.
std::optional<int> run_as_child(int argc, const char* const* argv);

}  // namespace kerlab::session
