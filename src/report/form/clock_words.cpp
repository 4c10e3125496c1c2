#include "report/form/clock_words.h"

namespace kerlab::report {

std::string unless_measured(ClockKind clock, std::string_view before) {
  return clock == ClockKind::measured ? "" : std::string(before).append(name(clock));
}

}  // namespace kerlab::report
