#include "cli/tune/suite_table.h"

#include <algorithm>

#include "base/format.h"
#include "cli/frame/library_cells.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

/// What a row without a winner says instead.
std::string why_not(const SuiteResult& row) {
  if (!row.result) return row.outcome.error.substr(0, row.outcome.error.find('\n'));
  if (row.outcome.code == ExitCode::interrupted) return "interrupted";
  std::string text = "no winner";
  for (const auto& [status, count] : row.result->failed) text += fmt::format(", {} {}", count, name(status));
  return text;
}

/// Who of a library was timed, by what is known of each: another problem may have others.
std::string library_cell(const TuneResult& result, const std::string& way, bool exact) {
  const auto same = [&](const LibraryRow& row) { return library_way(row.label) == way; };
  const auto found = std::ranges::find_if(result.library, same);
  return found != result.library.end() ? ratio_text(found->ratio) : exact ? "" : "-";
}

std::vector<std::string> cells(const SuiteResult& row, const std::vector<std::string>& libraries, bool exact) {
  std::vector<std::string> line{row.outcome.problem.name, row.outcome.problem.title};
  if (!row.result || row.result->rows.empty()) {
    line.insert(line.end(), (exact ? 5 : 3) + libraries.size(), exact ? "" : "-");
    line.push_back(why_not(row));
    return line;
  }
  const TuneResult& result = *row.result;
  const Measurement& best = result.rows.front().measurement;
  const Trial& trial = result.rows.front().trial;
  if (exact) {
    line.insert(line.end(),
                {fmt::format("{}", best.median_us), fmt::format("{}", best.low_us), fmt::format("{}", best.high_us)});
  } else {
    line.push_back(median_with_interval(best));
  }
  line.push_back(tera_text(result.problem.flops / best.median_us * 1e6));
  line.push_back(fmt::format("{:.1f}", 100 * result.roof.minimum_us / best.median_us));
  for (const std::string& way : libraries) line.push_back(library_cell(result, way, exact));
  line.push_back(label_text(trial));
  return line;
}

}  // namespace

Table suite_table(const std::vector<SuiteResult>& rows, bool exact) {
  std::vector<std::string> libraries;
  bool modelled = false;
  for (const SuiteResult& row : rows) {
    if (!row.result) continue;
    modelled =
        modelled || (!row.result->rows.empty() && row.result->rows.front().measurement.clock == ClockKind::modelled);
    for (const LibraryRow& library : row.result->library)
      if (const std::string way = library_way(library.label); std::ranges::find(libraries, way) == libraries.end())
        libraries.push_back(way);
  }
  Table table{{{"name"}, {"problem"}, {exact ? "us" : modelled ? "us modelled" : "us [95 %]"}}, {}};
  if (exact) table.columns.insert(table.columns.end(), {{"low_us"}, {"high_us"}});
  table.columns.insert(table.columns.end(), {{"TFLOP/s"}, {"% roof"}});
  for (const std::string& way : libraries) table.columns.push_back({"vs " + way});
  table.columns.push_back({"winner", Align::left, true});
  for (const SuiteResult& row : rows) table.rows.push_back(cells(row, libraries, exact));
  return table;
}

}  // namespace kerlab::cli
