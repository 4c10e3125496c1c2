#pragma once
// What the lab says of a run: a few lines.

#include <string>

#include "session/history/attempt.h"

namespace kerlab::cli {

/// Number and kernel, verdict, time beside the last and the best run, resources, where the seconds went. `width`: of
/// the terminal.
std::string attempt_answer(const Attempt& attempt, bool color, int width);

/// "1043 us modelled, right", "wrong: ...", "does not compile: ...": for the log.
std::string attempt_outcome(const Attempt& attempt);

}  // namespace kerlab::cli
