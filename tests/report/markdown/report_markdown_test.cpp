#include "report/markdown/report_markdown.h"

#include "catch.h"

using namespace kerlab;
using Catch::Contains;

namespace {

ReportProblem problem(const std::string& title, const std::string& hostile = "") {
  ReportProblem result;
  result.title = result.key = title;
  result.clock = ClockKind::measured;
  result.device_class = "Test GPU";
  ReportTrial one;
  one.trial.status = TrialStatus::passed;
  one.trial.variant = "mma_pipe" + hostile;
  one.trial.configuration = "BM=128";
  one.time = Measurement{};
  one.time->clock = ClockKind::measured;
  one.time->median_us = 291.4;
  one.time->low_us = 290;
  one.time->high_us = 293;
  result.trials = {one};
  result.winner = 0;
  result.decision = Decision{};
  LibraryTime library;
  library.ratio = 1.034;
  library.ratio_low = 1.03;
  library.ratio_high = 1.04;
  result.library = {library};
  ReportFailure failure;
  failure.first.status = TrialStatus::wrong;
  failure.first.variant = "mma_pipe";
  failure.cause = "D: 31 elements beyond the bound" + hostile;
  failure.trials = 14;
  result.failures = {failure};
  return result;
}

LabReport report_of(std::vector<ReportProblem> problems) {
  LabReport report;
  report.title = "gemm";
  report.version = "0.1.0";
  report.problems = std::move(problems);
  report.environments.push_back({"Test GPU", "cuda", ClockKind::measured, {}, {"580"}, {"NVRTC 13.0"}, {}, {}, {}, {}});
  return report;
}

}  // namespace

TEST_CASE("report in Markdown: winner, ratio with interval, verdict, failures, environment", "[report]") {
  const std::string text = report_markdown(report_of({problem("gemm 4096")}));
  CHECK_THAT(text, Contains("| gemm 4096 | 291.4 [290,293] |") && Contains("1.034 [1.030,1.040]") &&
                       Contains("faster than the library") && Contains("mma_pipe BM=128"));
  CHECK_THAT(text, Contains("### Failures") && Contains("| 14 | wrong | mma_pipe |"));
  CHECK_THAT(text, Contains("driver 580; NVRTC 13.0") && Contains("kerlab 0.1.0") && !Contains("### Changes"));
}

TEST_CASE("report in Markdown: what changed against the previous decision", "[report]") {
  ReportProblem changed = problem("gemm 4096");
  changed.decision->trial = 2;
  ReportPrevious previous{{}, "mma_sync BM=64", 311.0, 0};
  previous.decision.trial = 1;
  changed.previous = previous;
  CHECK_THAT(report_markdown(report_of({changed})),
             Contains("mma_sync BM=64: 311.0 us -&#62; 291.4 us (-6.3 %), measured in different sessions"));
  changed.previous->again_us = 300;
  CHECK_THAT(report_markdown(report_of({changed})),
             Contains("300.0 us -&#62; 291.4 us (-2.9 %), both measured in the same"));
}

TEST_CASE("report in Markdown: no text is markup, calls anybody or names an issue", "[report]") {
  const std::string text =
      report_markdown(report_of({problem("gemm", " <b>|`x` *y* [z](http://a) @team #12 ![i](j)\nline")}));
  CHECK_THAT(text, !Contains("<b>") && !Contains("`x`") && !Contains("](") && !Contains("@team") && !Contains("#12 ") &&
                       !Contains("*y*") && !Contains("\nline"));
  CHECK_THAT(text, Contains("\\|"));  // a cell stays one cell
}

TEST_CASE("report in Markdown: within what GitHub takes, with a count of what is left out", "[report]") {
  std::vector<ReportProblem> many;
  for (int i = 0; i < 3000; ++i) many.push_back(problem("gemm " + std::to_string(i)));
  const std::string text = report_markdown(report_of(std::move(many)));
  CHECK(text.size() <= 65'000);
  CHECK_THAT(text, Contains("more are left out") && Contains("### Failures") && Contains("kerlab 0.1.0"));
}
