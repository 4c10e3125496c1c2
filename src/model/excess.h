#pragma once
// Where in the source a counter's number comes from.

#include <string>
#include <string_view>
#include <vector>

#include "model/inspection.h"

namespace kerlab::model {

struct CounterPlace {
  std::string counter;  ///< name, plan/counters.h
  CodeLine line;
  std::string source;  ///< its text
  double share = 0;    ///< of the counter's number in all launches
};

/// The lines of the source that do most of it, the largest first, at most `most`. Empty where lines do not tell.
std::vector<CounterPlace> places_of(std::string_view counter, const std::vector<LaunchInspection>& launches,
                                    std::size_t most);

}  // namespace kerlab::model
