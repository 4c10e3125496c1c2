#pragma once
// From a session's inspection to what the reports print.

#include "report/text/inspect_text.h"
#include "session/analyse/inspect.h"

namespace kerlab::cli {

InspectedKernel to_report(Inspection inspection);

}  // namespace kerlab::cli
