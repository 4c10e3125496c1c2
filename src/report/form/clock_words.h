#pragma once
// What is said of a time that no clock of a GPU measured.

#include <string>
#include <string_view>

#include "trial/trial.h"

namespace kerlab::report {

/// " modelled", to stand behind a time, with `before` in front; of a measured one empty.
std::string unless_measured(ClockKind clock, std::string_view before = " ");

}  // namespace kerlab::report
