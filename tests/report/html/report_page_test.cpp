// A report's page and drawings: nothing in a record breaks out of them, and what is modelled says so.
#include "report/html/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "catch.h"
#include "report/form/json.h"
#include "report/html/drawn.h"
#include "report/html/html_table.h"
#include "report/html/trials_data.h"
#include "report/markup.h"
#include "report/picture/plot.h"
#include "session/analyse/report_data.h"
#include "session/report_fixture.h"

using namespace kerlab;
using Catch::Contains;

namespace {

constexpr const char* kHostile = "</script><img src=x onerror=alert(1)>'\"&\u2028--><![CDATA[\xff";

LabReport report_of(const testing::MadeUp& what, const ReportOptions& options = {}) {
  Database database = Database::in_memory();
  testing::make_up(database, what);
  LabReport report = collect_report(options, database);
  report.version = "0.1.0";
  return report;
}

testing::MadeUp small(const std::string& hostile = "") {
  testing::MadeUp what;
  what.trials = 60;
  what.regress_runs = 14;
  what.hostile = hostile;
  return what;
}

/// The text between the first `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

}  // namespace

TEST_CASE("report page: well-formed, and no text of the records is markup", "[report]") {
  const LabReport report = report_of(small(kHostile));
  const std::string page = report_page(report);
  CHECK(markup_fault(page, true) == "");
  CHECK_THAT(page, !Contains("<img") && !Contains("<![CDATA[") && Contains("&lt;img src=x onerror=alert(1)&gt;"));

  const std::string data = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
  CHECK_THAT(data, !Contains("<") && !Contains("\u2028"));
  const auto value = parse_json(data);
  REQUIRE(value.has_value());
  REQUIRE(value->find("order")->elements().size() == report.problems.front().trials.size());
  for (const JsonValue& column : value->find("columns")->elements()) {
    if (column.find("key")->text() != "variant") continue;
    const std::string variant = column.find("text")->elements().front().text();
    CHECK_THAT(variant, Contains("</script><img src=x onerror=alert(1)>'\"&\u2028-->"));  // the text itself, whole
  }
}

TEST_CASE("report page: nothing is fetched", "[report]") {
  const std::string page = report_page(report_of(small()));
  CHECK_THAT(page, Contains("default-src 'none'"));
  for (const char* where : {"src=\"", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "localStorage"})
    CHECK_THAT(page, !Contains(where));
}

TEST_CASE("report figures: each is XML of its own, described, readable in both themes", "[report]") {
  testing::MadeUp enough = small(kHostile);
  enough.trials = 400;  // so that those of the winner's variant tell what matters
  const std::vector<ReportFigure> figures = report_figures(report_of(enough));
  CHECK(figures.size() >= 10);
  for (const ReportFigure& figure : figures) {
    INFO(figure.id);
    const std::string svg = standalone_svg(figure);
    CHECK(markup_fault(svg, false) == "");
    CHECK_THAT(svg, Contains("role=\"img\"") && Contains("<desc") && Contains("prefers-color-scheme: dark"));
    if (figure.id != "regress") CHECK_THAT(svg, Contains("gemm 4096x4096x4096 bf16 nt, NVIDIA H200 (measured)"));
    CHECK_THAT(svg, !Contains("var(--") && !Contains("nan") && !Contains("inf,"));
    CHECK(!figure.title.empty());
    CHECK(!figure.description.empty());
    CHECK(!figure.table.rows.empty());
  }
}

TEST_CASE("report page: modelled times are called so everywhere, and have no interval", "[report]") {
  testing::MadeUp what = small();
  what.device_class = "Emulated H200 sm_90 132 SM 143771 MiB 1980/3201 MHz 6144 bit";
  what.device_kind = "emulated";
  const LabReport report = report_of(what);
  const std::string page = report_page(report);
  CHECK_THAT(page, Contains("<span class=\"badge modelled\">modelled</span>") && Contains("time, us (modelled)") &&
                       Contains("us, modelled") && Contains("no clock ran"));
  CHECK_THAT(page, !Contains("us [95 %]") && !Contains("95 %: "));
  CHECK_THAT(page, !Contains("left:-"));  // a bar begins within its room
  const std::vector<TrialColumn> columns = trial_columns(report_parts(report));
  for (const TrialColumn& column : columns)
    if (column.key == "us")
      for (const std::string& text : column.text) CHECK((text == "-" || text.ends_with(" modelled")));
}

TEST_CASE("report page: beside measured times, modelled ones are told apart in every row and drawing", "[report]") {
  Database database = Database::in_memory();
  testing::MadeUp what = small();
  what.problems.emplace_back("gemm M=512 N=512 K=512 bf16 layout=nn alpha=1 beta=0");
  testing::make_up(database, what);
  what.device_kind = "emulated";
  testing::make_up(database, what);
  const LabReport report = collect_report({}, database);
  const std::vector<ReportPart> parts = report_parts(report);
  REQUIRE(parts.size() == 4);
  const std::vector<TrialColumn> columns = trial_columns(parts);
  const auto device = std::find_if(columns.begin(), columns.end(), [](const auto& one) { return one.key == "device"; });
  REQUIRE(device != columns.end());
  for (const ReportPart& part : parts)
    for (std::size_t i = 0; i < part.problem.trials.size(); ++i)
      CHECK(device->text[part.first_row + i].ends_with("(" + std::string(name(part.problem.clock)) + ")"));
  const std::string page = report_page(report);
  CHECK(markup_fault(page, true) == "");
  // A roofline for each, with dots of its own only.
  std::size_t rooflines = 0;
  for (const ReportFigure& figure : report_figures(report)) {
    if (!figure.id.starts_with("roofline-device")) continue;
    ++rooflines;
    const ClockKind clock =
        figure.caption.find("modelled") != std::string::npos ? ClockKind::modelled : ClockKind::measured;
    for (std::size_t at = figure.body.find("data-i=\""); at != std::string::npos;
         at = figure.body.find("data-i=\"", at + 1)) {
      const std::size_t row = std::stoul(figure.body.substr(at + 8));
      const auto own = std::find_if(parts.begin(), parts.end(), [&](const ReportPart& part) {
        return row >= part.first_row && row < part.first_row + part.problem.trials.size();
      });
      REQUIRE(own != parts.end());
      CHECK(own->problem.clock == clock);
    }
  }
  CHECK(rooflines == 2);
}

TEST_CASE("report page: it leads with speed-ups, and says where one is not known", "[report]") {
  testing::MadeUp what = small();
  what.problems = {"gemm M=512 N=512 K=512 bf16 layout=nn alpha=1 beta=0", "softmax M=512 N=512 bf16"};
  LabReport report = report_of(what);
  REQUIRE(report.problems.size() == 2);
  ReportProblem& gemm = report.problems.front();
  REQUIRE(gemm.winner);
  gemm.library.resize(1);
  gemm.library.front().ratio = 1.25;
  gemm.library.front().label = "cuBLASLt 13, best of 16";
  for (std::size_t i = 0; i < gemm.trials.size(); ++i)
    if (i != *gemm.winner && gemm.trials[i].time) gemm.naive = ReportNaive{i, true};
  REQUIRE(gemm.naive);
  gemm.trials[gemm.naive->trial].time->median_us = 3.5 * gemm.trials[*gemm.winner].time->median_us;
  ReportProblem& softmax = report.problems.back();
  softmax.library.clear();
  softmax.naive.reset();
  const std::string lead = between(report_page(report), "<div class=\"speedups\">", "</table>");
  CHECK_THAT(lead, Contains("1.25× cuBLASLt 13<") &&
                       Contains("3.50× " + gemm.trials[gemm.naive->trial].trial.variant) && Contains("not timed") &&
                       Contains("not timed: tune --ladder does") && Contains("<a href=\"#problem-1\">") &&
                       Contains("width:"));
}

TEST_CASE("report page: heat-maps need thirty trials", "[report]") {
  testing::MadeUp what = small();
  what.trials = 600;
  LabReport report = report_of(what);
  ReportProblem& problem = report.problems.front();
  const auto own = [&](const ReportTrial& one) {
    return one.trial.variant == problem.searched && one.trial.status == TrialStatus::passed && one.screen_us > 0;
  };
  REQUIRE(std::count_if(problem.trials.begin(), problem.trials.end(), own) >= 30);
  REQUIRE(!heat_maps(report_parts(report).front()).empty());
  std::size_t left = 29;
  for (ReportTrial& one : problem.trials)
    if (own(one) && left > 0)
      --left;
    else if (own(one))
      one.screen_us = 0;
  CHECK(heat_maps(report_parts(report).front()).empty());
}

TEST_CASE("report page: shapes of one family are drawn over the shape, by size", "[report]") {
  testing::MadeUp what = small();
  what.problems.clear();
  for (const int n : {4096, 512, 1024})
    what.problems.push_back(fmt::format("gemm M={0} N={0} K={0} bf16 layout=nn alpha=1 beta=0", n));
  what.problems.emplace_back("softmax M=512 N=512 bf16");
  const LabReport report = report_of(what);
  const std::vector<ShapeSweep> sweeps = shape_sweeps(report_parts(report));
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps.front().axis == "M = N = K");
  CHECK(sweeps.front().x == std::vector<double>{512, 1024, 4096});
  CHECK(!sweeps.front().memory);
  const std::string page = report_page(report);
  CHECK_THAT(page, Contains("id=\"sweep-1\"") && Contains("winner, TFLOP/s"));
}

TEST_CASE("report page: winners before and now, and what changed between them", "[report]") {
  LabReport report = report_of(small());
  const ReportProblem& problem = report.problems.front();
  const ReportTrial& winner = problem.trials[*problem.winner];
  ReportWinner now{winner.trial, *winner.time}, before = now;
  now.trial.configuration = "BM=128 BN=64 STAGES=4";
  before.trial.configuration = "BM=64 BN=64 STAGES=4";
  before.trial.source_hash = "older";
  before.time.median_us = 1.5 * now.time.median_us;
  report.comparison = ReportComparison{
      "old.db", "this report", {{problem.key, problem.title, problem.device_class, problem.clock, before, now}}};
  std::string text = between(report_page(report), "id=\"Compared\"", "</table>");
  CHECK_THAT(text, Contains("Compared: old.db, this report") && Contains("1.500×") &&
                       Contains(winner.trial.variant + ": BM 64 → 128; kernel source<"));
  report.comparison->problems.front().before.reset();
  text = between(report_page(report), "id=\"Compared\"", "</table>");
  CHECK_THAT(text, Contains("no winner before; now: ") && !Contains("×"));
}

TEST_CASE("report page: several problems are summed up, and each has its own part", "[report]") {
  testing::MadeUp what = small();
  what.problems.emplace_back("gemm M=512 N=512 K=512 bf16 layout=nn alpha=1 beta=0");
  const LabReport report = report_of(what);
  REQUIRE(report.problems.size() == 2);
  const std::string page = report_page(report);
  CHECK(markup_fault(page, true) == "");
  CHECK_THAT(page, Contains("id=\"problem-1\"") && Contains("id=\"problem-2\"") && Contains("class=\"speedups\"") &&
                       Contains("href=\"#problem-2\"") && Contains("passed / tried") && Contains("library / ours") &&
                       Contains("gemm 512x512x512 bf16 nn"));
  // Rows are numbered through: the second problem's first trial follows the first one's last.
  const std::vector<ReportPart> parts = report_parts(report);
  CHECK(parts[1].first_row == parts[0].problem.trials.size());
  std::vector<std::size_t> order = fastest_first(parts);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i);
}

TEST_CASE("report page: trials of which none passed have a page too", "[report]") {
  LabReport report = report_of(small());
  ReportProblem& problem = report.problems.front();
  for (ReportTrial& one : problem.trials) {
    one.trial.status = TrialStatus::compile_error;
    one.time.reset();
    one.screen_us = one.trial.error_ratio = 0;
  }
  problem.winner.reset();
  problem.decision.reset();
  problem.previous.reset();
  problem.finalists.clear();
  problem.importance.clear();
  problem.ladder.clear();
  const std::string page = report_page(report);
  CHECK(markup_fault(page, true) == "");
  CHECK_THAT(page, Contains("No trial passed"));
}

TEST_CASE("report: scales hold every value, and their ticks are round", "[report]") {
  const Scale wide = scale_for({2, 300}, 0, 100, 4);
  CHECK(wide.logarithmic);
  CHECK(wide.pixel(2) > 0);
  CHECK(wide.pixel(300) < 100);
  CHECK(wide.pixel(1e9) == 100);
  CHECK(wide.ticks(9) == std::vector<double>{2, 5, 10, 20, 50, 100, 200});
  const Scale narrow = scale_for({323, 334}, 0, 100, 4);
  CHECK(!narrow.logarithmic);
  CHECK(narrow.ticks(6) == std::vector<double>{325, 330});
  for (const std::vector<double>& odd : {std::vector<double>{}, {7}, {0, 0}, {std::nan(""), 3}}) {
    const Scale scale = scale_for(odd, 0, 100, 4);
    CHECK(scale.low < scale.high);
    CHECK(scale.ticks(5).size() < 20);
  }
  CHECK(tick_text(20000) == "20 k");
  CHECK(tick_text(0.05) == "0.05");
}

TEST_CASE("report: a script's data cannot end it", "[report]") {
  CHECK(script_json("\"</script>\u2028\u2029&\"") == "\"\\u003c/script\\u003e\\u2028\\u2029\\u0026\"");
}
