#pragma once
// What `kerlab watch` says of a save: one line, and more only of errors. As JSON, too.

#include <string>
#include <vector>

#include "report/form/json.h"
#include "session/history/attempt.h"

namespace kerlab::cli {

/// A line that fits `width` columns: what matters least is left out first. Where something is wrong, indented lines
/// follow. `before`: the attempt that figures are compared with; may be null. `seconds`: from the save to the verdict.
std::vector<std::string> watch_lines(const Attempt& now, const Attempt* before, double seconds, int width, bool color);
/// Of a save that could not be tried; `save` 0: it was not kept.
std::vector<std::string> watch_lines(std::int64_t save, const std::string& why, double seconds, int width, bool color);

JsonValue watch_value(const Attempt& attempt, double seconds);
JsonValue watch_value(std::int64_t save, const std::string& why, double seconds);

/// How the time has changed: "-6.2 % [-6.9,-5.4]"; below 0 it is faster now. Modelled times have no interval.
std::string change_text(const Beside& beside);

/// "13.31 us modelled", "291.4 us [290,293]".
std::string time_text(const Measurement& measurement);

}  // namespace kerlab::cli
