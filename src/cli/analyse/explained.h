#pragma once
// From a session's explanation to what the reports print.

#include "report/text/explain_text.h"
#include "session/analyse/explain.h"

namespace kerlab::cli {

/// `next`: commands to type are the caller's, who knows what was typed.
Explained to_report(Explanation explanation);

}  // namespace kerlab::cli
