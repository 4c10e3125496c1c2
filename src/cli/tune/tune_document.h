#pragma once
// What `kerlab tune --json` writes: the result, or the plan of a dry run.

#include <string>

#include "cli/frame/command.h"
#include "report/form/json.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// The keys of the document.
JsonValue::Object tune_value(const TuneResult& result, const ToRepeat& again = {});
/// The whole document, with a line break at its end.
std::string tune_json(const TuneResult& result, const ToRepeat& again = {});
/// The same of a dry run.
std::string tune_plan_json(const TunePlan& plan);

}  // namespace kerlab::cli
