#pragma once
// A report for a pull request.

#include <cstddef>
#include <string>

#include "trial/lab_report.h"

namespace kerlab::report {

/// GitHub's Markdown: the summary, what changed against the previous decisions, failures in short, the environment. Not
/// longer than `most` bytes (GitHub takes 65,536 characters in a comment): rows that do not fit are left out, and
/// counted.
std::string report_markdown(const LabReport& report, std::size_t most = 65'000);

}  // namespace kerlab::report
