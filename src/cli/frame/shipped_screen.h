#pragma once
// Shipped winners: as a table, as JSON; and the file that `kerlab db ship` writes.

#include "cli/frame/command.h"
#include "report/form/json.h"
#include "session/find/shipped.h"

namespace kerlab::cli {

/// "shipped: 291.4 us on H200 132 SM, 2026-11-21, mma_pipe (note)"; its parameters: kerlab list --shipped.
std::string shipped_text(const ShippedWinner& shipped, const std::string& note);
JsonValue::Object shipped_value(const ShippedWinner& winner);
/// `kerlab list --shipped`: of a family, or of all when empty.
ExitCode list_shipped(const GlobalOptions& global, const std::string& family);
/// `kerlab db ship`: `out` empty: where a tune looks for them.
ExitCode ship(const GlobalOptions& global, const std::string& out);

}  // namespace kerlab::cli
