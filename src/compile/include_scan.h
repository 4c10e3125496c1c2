#pragma once
// Finds the #include lines of a source, without preprocessing it.

#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::compile {

struct IncludeLine {
  enum class Form : unsigned char {
    quoted,
    angled,
    computed  ///< anything else: a macro that becomes a name, a name that a line splice or a comment cuts
  };
  std::string name;          ///< between the quotes or brackets; of a computed one the word that stands there
  int line = 0;              ///< from 1
  bool conditional = false;  ///< inside #if ... #endif: perhaps never reached
  Form form = Form::quoted;
  bool operator==(const IncludeLine&) const = default;
};

/// Comments, string literals and raw strings are skipped.
std::vector<IncludeLine> scan_includes(std::string_view text);

}  // namespace kerlab::compile
