#pragma once
// The figures of a report, one file each. An empty body: there is nothing to draw.

#include <optional>
#include <vector>

#include "report/picture/figure.h"
#include "trial/lab_report.h"

namespace kerlab::report {

/// A problem, and where its trials begin among the rows of the report's table.
struct ReportPart {
  const ReportProblem& problem;
  std::size_t first_row = 0;
  std::string suffix;  ///< of its figures' ids: "-2"; empty: there is one problem only
};

/// Every trial under the roof, with the best of each variant by name.
ReportFigure roofline_figure(const ReportPart& part);
/// Every trial of problems on one kind of device under its roofs; winners stand out.
ReportFigure rooflines_figure(const std::vector<ReportPart>& parts, const std::string& id, double width = kWide);
/// Every trial's time and the best so far: against the number of trials, against the seconds of tuning.
ReportFigure progress_by_trials(const ReportPart& part);
ReportFigure progress_by_time(const ReportPart& part);
/// Best time of each pair of values of the parameters that matter most, at most three.
std::vector<ReportFigure> heat_maps(const ReportPart& part);
ReportFigure importance_figure(const ReportPart& part);
/// Samples of the finalists, with quartiles, median and its interval.
ReportFigure finalists_figure(const ReportPart& part, double width = kWide);
/// Largest error over its bound of every trial that was checked, by variant.
ReportFigure accuracy_figure(const ReportPart& part, double width = kWide);
/// How many trials ended how.
ReportFigure failures_figure(const ReportPart& part, double width = kWide);
/// The library's time over ours, a row for each problem that has one.
ReportFigure library_figure(const std::vector<ReportPart>& parts);
/// A row for each baseline, a mark for each run.
ReportFigure regress_figure(const LabReport& report);

/// "mma_pipe BM=128 BN=64"
std::string trial_label(const Trial& trial);
/// "NVIDIA H200 (measured)": where a problem's times are from, in short.
std::string device_label(const ReportProblem& problem);
/// "time, us", "time, us (modelled)"
std::string time_title(const ReportProblem& problem);
/// "us [95 %]"; of what is modelled "us, modelled".
std::string time_heading(ClockKind clock);

}  // namespace kerlab::report
