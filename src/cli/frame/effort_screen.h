#pragma once
// What a session cost and who did the work: the devices, the compilers, the wall clock.

#include "report/form/json.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// "GPU busy 71 %, compilers 94 %, wall 11.2 s; ...".
std::string effort_text(const TuneResult& result);

/// Where the winner's time comes from, as a line, when there were several devices; else empty.
std::string where_measured(const TuneResult& result);

JsonValue devices_value(const std::vector<TunedDevice>& devices);

}  // namespace kerlab::cli
