#pragma once
// What `kerlab check --sanitize` prints: findings by variant, each with its lines and their text.

#include <string>
#include <vector>

#include "model/inspection.h"
#include "report/form/json.h"

namespace kerlab::report {

/// A finding with the text of its lines, and who has it.
struct LocatedFinding {
  Finding finding;
  std::string source, other_source;  ///< of finding.line and .other; empty: unknown
  std::vector<std::string> labels;   ///< configurations: "reg2d BM=64 BN=64"
  std::string problem;               ///< of the first
};

/// "reg2d.cu:57", or "ptx line 120"; of a path the last part. Empty: no line is known.
std::string finding_place(const CodeLine& line);

/// Several lines that end in a newline; findings of one variant.
std::string findings_text(const std::string& variant, const std::vector<LocatedFinding>& findings, bool color);
JsonValue code_line_value(const CodeLine& line);
JsonValue to_values(const std::vector<Finding>& findings);

}  // namespace kerlab::report
