#include "cli/frame/check_screen.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/terminal.h"
#include "cli/frame/command.h"
#include "report/form/table.h"

namespace kerlab::cli {

namespace {

constexpr std::size_t kMostInLine = 5;
constexpr int kLineWidth = 160;

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}

/// The first that did not pass and says what it holds, else the first that says where, else the first.
const RecipeReport* most_telling(const CheckReport& report) {
  const RecipeReport* best = nullptr;
  const auto tells = [](const RecipeReport& r) { return (r.culprit.empty() ? 0 : 2) + (r.picture.empty() ? 0 : 1); };
  for (const RecipeReport& one : report.recipes)
    if (!one.passed && (best == nullptr || tells(one) > tells(*best))) best = &one;
  return best;
}

/// A checker says what is wrong in words; what was got and expected it does not say.
std::string judged_table(const RecipeReport& report) {
  Table table{{{report.output}, {"error", Align::right}}, {}};
  for (const Mismatch& m : report.first) table.rows.push_back({m.place, number(m.got)});
  return text_table(table, false, 2, table_width(0));
}

std::string mismatch_table(const RecipeReport& report) {
  if (report.cause == Cause::checker) return judged_table(report);
  Table table{{{report.output}, {"got", Align::right}, {"expected", Align::right}, {"bound", Align::right}}, {}};
  for (const Mismatch& m : report.first)
    table.rows.push_back({m.place, number(m.got), number(m.expected),
                          report.cause == Cause::unwritten                   ? "-"
                          : report.cause == Cause::exact || m.tolerance == 0 ? "exact"
                                                                             : fmt::format("{:.3g}", m.tolerance)});
  return table.rows.empty() ? "" : text_table(table, false, 2, table_width(0));
}

std::string headline(const RecipeReport& report) {
  const std::string worst =
      std::isfinite(report.error_ratio) ? fmt::format(", worst error/bound {:.3g}", report.error_ratio) : std::string();
  return fmt::format("{}, recipe {}{}: {} of {} wrong{}{}", report.output, report.recipe,
                     report.in_small ? " (small problem)" : "", report.mismatches, report.compared,
                     report.nans > 0 ? fmt::format(" ({} NaN)", report.nans) : "", worst);
}

std::string recipe_report(const RecipeReport& report) {
  std::string text = "  " + headline(report) + "\n";
  if (!report.pattern.empty()) text += "  where: " + report.pattern + "\n";
  if (!report.culprit.empty()) text += "  what:  " + report.culprit + "\n";
  const bool listed = !report.first.empty();
  if (!listed || report.mismatches == 0) text += "  " + report.detail + "\n";
  text += mismatch_table(report);
  for (const std::string& line : report.picture) text += "    " + line + "\n";
  if (!report.picture.empty()) text += "    " + report.scale + "; # mostly wrong, + some, . correct\n";
  return text;
}

Table summary(const std::vector<CheckRow>& rows) {
  struct Line {
    std::size_t problems = 0, failed = 0;
    double worst = 0;
    std::int64_t runs = 0;  // of the problem that was asked for
    std::string scope;      // the same
  };
  std::map<std::pair<std::string, std::string>, Line> lines;
  for (const CheckRow& row : rows) {
    Line& line = lines[{variant_text(row.trial), row.trial.configuration}];
    ++line.problems;
    line.failed += is_failure(row) ? 1 : 0;
    line.worst = std::max(line.worst, row.trial.error_ratio);
    if (row.adversarial) continue;  // made once each
    line.runs = line.runs == 0 ? row.report.runs : std::min(line.runs, row.report.runs);
    line.scope = row.scope;
  }
  const bool scopes = std::any_of(rows.begin(), rows.end(), [](const CheckRow& row) { return !row.scope.empty(); });
  Table table{{{"variant"},
               {"configuration", Align::left, true},
               {"problems", Align::right},
               {"failed", Align::right},
               {"err/bound", Align::right},
               {"equal runs", Align::right}},
              {}};
  if (scopes) table.columns.push_back({"executed", Align::left, true});
  for (const auto& [key, line] : lines) {
    table.rows.push_back({key.first, key.second, fmt::format("{}", line.problems), fmt::format("{}", line.failed),
                          fmt::format("{:.2f}", line.worst),
                          line.failed > 0 || line.runs == 0 ? "-" : fmt::format("{}", line.runs)});
    if (scopes) table.rows.back().push_back(line.scope);
  }
  return table;
}

/// How much it says: of outputs of a few elements little can be read; then the problem that was asked for; then how
/// much is wrong.
std::tuple<int, bool, double> weight(const CheckRow& row) {
  constexpr std::int64_t kFew = 64;
  const RecipeReport* report = most_telling(row.report);
  if (report == nullptr) return {0, !row.adversarial, 0};
  const double share =
      report->compared > 0 ? static_cast<double>(report->mismatches) / static_cast<double>(report->compared) : 0.0;
  if (report->compared < kFew) return {1, !row.adversarial, share};
  return {report->culprit.empty() ? 2 : 3, !row.adversarial, share};
}

/// Those that failed, the most telling first. A program that does not compile does not compile for many problems: it is
/// told once.
std::vector<const CheckRow*> told_failures(const std::vector<CheckRow>& rows) {
  std::vector<const CheckRow*> failed;
  for (const CheckRow& row : rows)
    if (is_failure(row)) failed.push_back(&row);
  std::stable_sort(failed.begin(), failed.end(),
                   [](const CheckRow* a, const CheckRow* b) { return weight(*a) > weight(*b); });
  std::set<std::string> seen;
  std::erase_if(failed, [&](const CheckRow* row) {
    return row->trial.status == TrialStatus::compile_error &&
           !seen.insert(label_text(row->trial) + "\n" + row->trial.message).second;
  });
  return failed;
}

std::string in_line(const CheckRow& row, const std::string& again, bool color) {
  const std::string status = styled(std::string(name(row.trial.status)), Style::bad, color);
  return fmt::format("{} {}: {}\n  {}{}\n", status, row.problem.title(),
                     shortened(label_text(row.trial) + ": " + row.trial.message, kLineWidth), row.command, again);
}

}  // namespace

bool is_failure(const CheckRow& row) {
  return row.trial.status != TrialStatus::passed;
}

std::size_t failures(const std::vector<CheckRow>& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_failure));
}

namespace {

std::string_view where_rows_begin(RowPadding::Whole whole) {
  switch (whole) {
    case RowPadding::Whole::none:
      return "";
    case RowPadding::Whole::all:
      return ", and begin at multiples of 16 bytes";
    case RowPadding::Whole::first:
      return ", and those of the first begin at multiples of 16 bytes";
    case RowPadding::Whole::others:
      return ", and those of all but the first begin at multiples of 16 bytes";
  }
  return "";
}

}  // namespace

std::string failure_report(const CheckRow& row, const std::string& again, bool color) {
  std::string text = fmt::format("{} {}  {}\n", styled(std::string(name(row.trial.status)), Style::bad, color),
                                 row.problem.title(), label_text(row.trial));
  const RecipeReport* worst = most_telling(row.report);
  const bool by_numbers = worst != nullptr && row.trial.status == TrialStatus::wrong;
  text += by_numbers ? recipe_report(*worst) : "  " + row.trial.message + "\n";
  if (row.problem.row_padding.bytes > 0)
    text += fmt::format(
        "  rows of tensors in `pitch` have gaps of {} bytes behind them here{}: pitch.NAME is more than the "
        "width\n",
        row.problem.row_padding.bytes, where_rows_begin(row.problem.row_padding.whole));
  std::string others;
  for (const RecipeReport& report : row.report.recipes) {
    if (report.passed || &report == worst) continue;
    others += fmt::format("{}{} {} ({})", others.empty() ? "" : ", ", report.output, report.recipe, name(report.cause));
  }
  if (!others.empty()) text += "  failed as well: " + shortened(others, kLineWidth) + "\n";
  return text + fmt::format("  reproduce: {}{}\n", row.command, again);
}

std::string check_screen(const std::vector<CheckRow>& rows, const CheckEnd& end, const std::string& again, bool color) {
  std::string text = text_table(summary(rows), color, 0, table_width(0));
  std::vector<const CheckRow*> told = told_failures(rows);
  for (std::size_t i = 0; i < std::min(told.size(), kMostInLine); ++i)
    text += i == 0 ? failure_report(*told[i], again, color) : in_line(*told[i], again, color);
  const std::size_t failed = failures(rows), shown = std::min(told.size(), kMostInLine);
  if (failed > shown)
    text += fmt::format("and {} more that failed{}; --json has all\n", failed - shown,
                        told.size() > shown ? "" : ", as it does not compile on other problems either");
  const std::size_t passed = rows.size() - failed;
  if (end.left == 0) return text + fmt::format("{} of {} checks passed\n", passed, rows.size());
  const std::string made =
      fmt::format("{} of {} checks were made, {} of these passed", rows.size(), rows.size() + end.left, passed);
  return text + (end.interrupted ? fmt::format("interrupted: {}: no verdict\n", made)
                                 : fmt::format("stopped at the first failure (--fail-fast): {}\n", made));
}

JsonValue::Array accuracy_values(const std::vector<AccuracyRecord>& history) {
  JsonValue::Array values;
  for (const AccuracyRecord& record : history)
    values.push_back(JsonValue::Object{{"trial", record.trial},
                                       {"error_ratio", record.error_ratio},
                                       {"source_hash", record.source_hash},
                                       {"toolchain", record.toolchain},
                                       {"created", record.created}});
  return values;
}

JsonValue::Array check_values(const std::vector<CheckRow>& rows, const std::string& again,
                              const std::vector<Trial>& history) {
  JsonValue::Array values;
  for (const CheckRow& row : rows) {
    values.push_back(JsonValue::Object{{"problem", row.problem.key()},
                                       {"adversarial", row.adversarial},
                                       {"trial", to_value(row.trial)},
                                       {"runs", row.report.runs},
                                       {"seconds", row.seconds},
                                       {"reproduce", row.command.empty() ? "" : row.command + again},
                                       {"history", accuracy_values(accuracy_history(row.trial, history))}});
  }
  return values;
}

}  // namespace kerlab::cli
