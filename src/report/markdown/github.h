#pragma once
// What GitHub Actions shows of a run: annotations beside the lines they are about, a summary of the step in Markdown.
// And the same Markdown for a comment, and as JUnit for every other CI.

#include <cstddef>
#include <string>
#include <vector>

#include "report/markdown/junit.h"
#include "trial/regress_run.h"

namespace kerlab::report {

/// One message of a workflow command.
struct Annotation {
  enum class Level { error, warning, notice };
  Level level = Level::error;
  std::string file;
  int line = 1;
  std::string title, message;
};

/// "::error file=kernels/a.cu,line=3,title=...::message", a line each, in this order. GitHub shows ten of a level and
/// step: what is beyond them is left out, and counted in the last one shown.
std::string annotations_text(const std::vector<Annotation>& annotations);
/// Of the rows that fail (error) or could not be judged (warning), worst first.
std::vector<Annotation> regress_annotations(const RegressReport& report);

/// The summary: a table of all that is not as it was, details of it, the count of the rest. Not longer than `most`
/// bytes (GitHub takes 1 MiB a step): details of the last go first, then their rows.
std::string regress_markdown(const RegressReport& report, std::size_t most = std::size_t{1000} << 10);

std::vector<JUnitCase> regress_cases(const RegressReport& report);

}  // namespace kerlab::report
