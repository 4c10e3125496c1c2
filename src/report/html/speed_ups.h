#pragma once
// What a report leads with, as tables with bars: how much faster the winners are than the library and than the simplest
// kernel, and what each variant reaches. They need no script and fit any width.

#include <string>
#include <vector>

#include "report/html/figures.h"

namespace kerlab::report {

/// A row for each problem; where one of the two is not known it says why.
std::string speed_ups_html(const std::vector<ReportPart>& parts);

/// The variants of a problem by rung, and the library: time, rate, share of the roof. Empty: there is one alone.
std::string variants_html(const ReportPart& part);

/// The winners before and now. Empty: nothing is compared.
std::string comparison_html(const LabReport& report, const std::vector<ReportPart>& parts);

/// How much faster the winner is than the library, than the simplest kernel; 0: not known.
double over_library(const ReportProblem& problem);
double over_naive(const ReportProblem& problem);

/// "1.03x", "124x", with a multiplication sign.
std::string times_text(double ratio);

}  // namespace kerlab::report
