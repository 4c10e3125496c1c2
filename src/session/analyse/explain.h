#pragma once
// Why a kernel takes as long as it does, or what a problem allows: all that needs no GPU, for one or two screens.

#include "session/analyse/explanation.h"
#include "session/analyse/inspect.h"

namespace kerlab::session {

struct ExplainOptions {
  InspectOptions inspect;
  std::size_t what_if = 6;  ///< neighbours to count; 0: none
};

/// A trial, a kernel, or a problem: of that the winner's kernel if one is stored, else the problem alone. `database`
/// may be null. Throws UsageError for what is typed wrongly.
Stepped<Explanation> explain(ExplainOptions options, const Database* database);

}  // namespace kerlab::session
