#pragma once
// `kerlab report -o FILE`: one HTML file that needs nothing else.

#include "report/html/figures.h"

namespace kerlab::report {

/// Of one problem, each with what it is about.
std::vector<ReportFigure> problem_figures(const ReportPart& part);

/// All figures of a report.
std::vector<ReportFigure> report_figures(const LabReport& report);

/// The page. Every text of the records is escaped.
std::string report_page(const LabReport& report);

/// The problems with their places among the rows of the table of trials.
std::vector<ReportPart> report_parts(const LabReport& report);

}  // namespace kerlab::report
