#include "report/markdown/report_markdown.h"

#include <fmt/format.h>

#include "report/form/clock_words.h"
#include "report/form/markdown_text.h"
#include "report/form/table.h"
#include "report/html/summary.h"

namespace kerlab::report {

namespace {

constexpr int kLongestCause = 160;
constexpr std::size_t kMostFailures = 20;

Table plain(Table table) {
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = plain_markdown(cell);
  return table;
}

/// As many rows as fit, and how many do not.
std::string fitted(Table table, std::size_t room) {
  const std::size_t all = table.rows.size();
  std::string text = markdown_table(plain(table));
  while (text.size() + 60 > room && !table.rows.empty()) {
    table.rows.resize(table.rows.size() * 3 / 4);
    text = markdown_table(plain(table));
  }
  if (table.rows.size() < all) text += fmt::format("\n{} more are left out.\n", all - table.rows.size());
  return text;
}

Table changes(const LabReport& report) {
  Table table{{{"problem"}, {"against the previous decision"}}, {}};
  for (const ReportProblem& problem : report.problems)
    if (const std::string change = change_text(problem); !change.empty())
      table.rows.push_back({problem.title, change + unless_measured(problem.clock, ", ")});
  return table;
}

Table failures(const LabReport& report) {
  Table table{{{"trials", Align::right}, {"status"}, {"variant"}, {"problem"}, {"cause"}}, {}};
  for (const ReportProblem& problem : report.problems)
    for (const ReportFailure& failure : problem.failures)
      table.rows.push_back({fmt::format("{}", failure.trials), std::string(name(failure.first.status)),
                            failure.first.variant, problem.title, shortened(failure.cause, kLongestCause)});
  if (table.rows.size() > kMostFailures) {
    table.rows.resize(kMostFailures);
    table.rows.push_back({"", "...", "", "", "the rest: kerlab db failures"});
  }
  return table;
}

std::string environment(const LabReport& report) {
  std::string text;
  for (const ReportEnvironment& one : report.environments)
    text += fmt::format("\n{}, {}{}{}; {}\n", plain_markdown(one.device_class), name(one.clock),
                        one.drivers.empty() ? "" : "; driver ",
                        plain_markdown(fmt::format("{}", fmt::join(one.drivers, ", "))),
                        plain_markdown(fmt::format("{}", fmt::join(one.toolchains, ", "))));
  return text + fmt::format("\nkerlab {}\n", plain_markdown(report.version));
}

}  // namespace

std::string report_markdown(const LabReport& report, std::size_t most) {
  std::string text = fmt::format("## kerlab report: {}\n\n", plain_markdown(report.title));
  const std::string end = environment(report).substr(0, most / 8);
  const auto room = [&](double share) {
    const std::size_t used = text.size() + end.size() + 200;
    return used < most ? static_cast<std::size_t>(share * static_cast<double>(most - used)) : 0;
  };
  text += fitted(summary_table(report, true), room(0.7));
  if (const Table table = changes(report); !table.rows.empty()) text += "\n### Changes\n\n" + fitted(table, room(0.6));
  if (const Table table = failures(report); !table.rows.empty())
    text += "\n### Failures\n\n" + fitted(table, room(0.9));
  return text + end;
}

}  // namespace kerlab::report
