#pragma once
// Results as JUnit XML, as CI systems read it.

#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

/// One test. Most systems list `suite` (dots nest), `name` and the first line of what is wrong, and show the rest on
/// request.
struct JUnitCase {
  std::string suite, name;  ///< classname and name
  double seconds = 0;
  std::string failure;      ///< what is wrong, any number of lines; empty: it passed
  std::string kind;         ///< of the failure, one word; "error": the tool failed, not what is tested
  std::string skipped;      ///< why it was not looked at; empty: it was
  std::string output = {};  ///< of one that passed: what it measured
};

/// A document with one test suite; what failed comes first, else the order is kept. Whatever bytes the texts hold, the
/// result is well-formed XML.
std::string junit_text(const std::string& name, std::vector<JUnitCase> cases);

}  // namespace kerlab::report
