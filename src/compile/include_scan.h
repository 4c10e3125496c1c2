#pragma once
// Finds the #include "..." lines of a source, without preprocessing it.

#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::compile {

struct IncludeLine {
  std::string name;          ///< between the quotes
  int line = 0;              ///< from 1
  bool conditional = false;  ///< inside #if ... #endif: perhaps never reached
  bool angled = false;       ///< <name>, of a place that no header of a toolkit has: / at its beginning, or .. in it
  bool operator==(const IncludeLine&) const = default;
};

/// Comments, string literals and raw strings are skipped; macro includes and <...> of headers are not reported.
std::vector<IncludeLine> scan_includes(std::string_view text);

}  // namespace kerlab::compile
