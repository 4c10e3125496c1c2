#include "cli/bench/bench_screen.h"

#include <algorithm>

#include "base/format.h"
#include "cli/bench/energy_table.h"
#include "cli/bench/ratio_summary.h"
#include "cli/frame/library_cells.h"
#include "report/text/modelled_remark.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

double rate(double per_run, const BenchRow& row) {
  return row.measurement ? per_run / row.measurement->median_us * 1e6 : 0;
}

std::string giga_text(double per_s) {
  return per_s > 0 ? fmt::format("{:.4g}", per_s / 1e9) : "-";
}

/// "9.2 %" of the roofline's speed.
std::string roof_text(const BenchRow& row) {
  return row.measurement ? format_share(row.roof_us / row.measurement->median_us) : "-";
}

std::string time_cell(const BenchRow& row) {
  return row.measurement ? median_with_interval(*row.measurement) : "-";
}

/// The library's rows that there are, in their order: the titles of their columns.
std::vector<std::string> library_labels(const std::vector<BenchRow>& rows) {
  std::vector<std::string> labels;
  for (const BenchRow& row : rows) {
    for (const LibraryRow& library : row.library)
      if (std::find(labels.begin(), labels.end(), library_way(library.label)) == labels.end())
        labels.push_back(library_way(library.label));
  }
  return labels;
}

const LibraryRow* find_library(const BenchRow& row, const std::string& label) {
  for (const LibraryRow& library : row.library)
    if (library_way(library.label) == label) return &library;
  return nullptr;
}

/// Its time, and how many times as fast ours is.
std::vector<std::string> library_cells(const LibraryRow* library, bool exact) {
  if (library == nullptr) return exact ? std::vector<std::string>(4) : std::vector<std::string>{"-", "-"};
  if (!exact) return {format_us(library->summary.median), ratio_text(library->ratio)};
  std::vector<std::string> cells{fmt::format("{}", library->summary.median), "", "", ""};
  if (library->ratio) {
    cells[1] = fmt::format("{}", library->ratio->ratio);
    cells[2] = fmt::format("{}", library->ratio->interval.low);
    cells[3] = fmt::format("{}", library->ratio->interval.high);
  }
  return cells;
}

/// Which columns tell something.
struct Shape {
  explicit Shape(const std::vector<BenchRow>& rows)
      : one_problem(std::ranges::all_of(
            rows, [&](const BenchRow& row) { return row.problem.key() == rows.front().problem.key(); })),
        all_passed(
            std::ranges::all_of(rows, [](const BenchRow& row) { return row.trial.status == TrialStatus::passed; })),
        flops(std::ranges::any_of(rows, [](const BenchRow& row) { return !row.memory_bound; })),
        bytes(std::ranges::any_of(rows, [](const BenchRow& row) { return row.memory_bound; })),
        libraries(library_labels(rows)) {}
  bool one_problem, all_passed, flops, bytes;
  std::vector<std::string> libraries;
};

/// The configuration last: it is what may be long.
Table short_table(const std::vector<BenchRow>& rows, const Shape& shape) {
  Table table;
  if (!shape.one_problem) table.columns.push_back({"problem"});
  table.columns.insert(table.columns.end(), {{"variant"}, {"us", Align::right}});
  if (!shape.all_passed) table.columns.push_back({"status"});
  if (shape.flops) table.columns.push_back({"TFLOP/s", Align::right});
  if (shape.bytes) table.columns.push_back({"GB/s", Align::right});
  table.columns.push_back({"of roofline", Align::right});
  for (const std::string& label : shape.libraries)
    table.columns.insert(table.columns.end(), {{label + " us", Align::right}, {"vs it"}});
  table.columns.insert(table.columns.end(),
                       {{"trial", Align::right}, {"chosen", Align::left, true}, {"configuration", Align::left, true}});
  for (const BenchRow& row : rows) {
    std::vector<std::string> cells;
    if (!shape.one_problem) cells.push_back(row.problem.title());
    cells.insert(cells.end(), {variant_text(row.trial), time_cell(row)});
    if (!shape.all_passed) cells.emplace_back(name(row.trial.status));
    if (shape.flops) cells.push_back(tera_text(rate(row.flops, row)));
    if (shape.bytes) cells.push_back(giga_text(rate(row.bytes, row)));
    cells.push_back(roof_text(row));
    for (const std::string& label : shape.libraries)
      for (std::string& cell : library_cells(find_library(row, label), false)) cells.push_back(std::move(cell));
    cells.insert(cells.end(),
                 {row.trial.id > 0 ? fmt::format("{}", row.trial.id) : "-", row.chosen, row.trial.configuration});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// "cache: A cold, X hot", once; empty where all is of one state.
std::string temperature_line(const std::vector<BenchRow>& rows) {
  const auto row = std::ranges::find_if(rows, [](const BenchRow& one) { return !one.temperatures.empty(); });
  return row == rows.end() ? "" : fmt::format("cache: {}\n", row->temperatures);
}

std::string remark(const std::vector<BenchRow>& rows, int width) {
  const auto modelled = [](const BenchRow& row) {
    return row.measurement && row.measurement->clock == ClockKind::modelled;
  };
  const auto row = std::find_if(rows.begin(), rows.end(), modelled);
  if (row == rows.end()) return "";
  return folded("times are " + modelled_remark(row->trial.family, row->trial.dtype), width);
}

std::string operations_of_all(const std::vector<BenchRow>& rows) {
  std::string text;
  for (const BenchRow& row : rows)
    if (row.operations.has_predictions())
      text += fmt::format("\n{}: {}", label_text(row.trial), operations_text(row.operations));
  return text;
}

}  // namespace

std::string bench_screen(const std::vector<BenchRow>& rows, bool counts, int width, bool color) {
  if (rows.empty()) return "";
  const Shape shape(rows);
  std::string text = shape.one_problem ? rows.front().problem.title() + "\n" : "";
  text += temperature_line(rows);
  text += text_table(short_table(rows, shape), color, 0, width);
  const std::vector<RatioSummary> summaries = ratio_summaries(rows);
  if (rows.size() > 1 && !summaries.empty()) text += "\n" + text_table(ratio_table(summaries), color, 0, width);
  if (const Table energies = energy_table(rows); !energies.rows.empty())
    text += "\n" + energy_heading() + text_table(energies, color, 0, width);
  if (std::ranges::any_of(rows, &BenchRow::cost_from_data)) text += folded("work counted from the data", width);
  text += remark(rows, width);
  if (counts) text += operations_of_all(rows);
  return text;
}

std::string bench_markdown(const std::vector<BenchRow>& rows) {
  if (rows.empty()) return "";
  const Shape shape(rows);
  std::string text = shape.one_problem ? rows.front().problem.title() + "\n\n" : "";
  if (const std::string line = temperature_line(rows); !line.empty()) text += line + "\n";
  text += markdown_table(short_table(rows, shape));
  const std::vector<RatioSummary> summaries = ratio_summaries(rows);
  if (rows.size() > 1 && !summaries.empty()) text += "\n" + markdown_table(ratio_table(summaries));
  if (const Table energies = energy_table(rows); !energies.rows.empty())
    text += "\n" + energy_heading() + "\n" + markdown_table(energies);
  return text;
}

Table exact_bench_table(const std::vector<BenchRow>& rows) {
  const std::vector<std::string> libraries = library_labels(rows);
  Table table{{{"problem"},
               {"variant"},
               {"configuration"},
               {"status"},
               {"us"},
               {"low_us"},
               {"high_us"},
               {"TFLOP/s"},
               {"GB/s"},
               {"% of roofline"}},
              {}};
  for (const std::string& label : libraries)
    for (const char* what : {" us", " ratio", " ratio low", " ratio high"}) table.columns.push_back({label + what});
  table.columns.insert(table.columns.end(), {{"clock"}, {"trial"}, {"chosen"}});
  for (const BenchRow& row : rows) {
    const auto& m = row.measurement;
    const auto number = [&](double value) { return m ? fmt::format("{}", value) : std::string(); };
    std::vector<std::string> cells{row.problem.title(),
                                   variant_text(row.trial),
                                   row.trial.configuration,
                                   std::string(name(row.trial.status)),
                                   number(m ? m->median_us : 0),
                                   number(m ? m->low_us : 0),
                                   number(m ? m->high_us : 0),
                                   number(rate(row.flops, row) / 1e12),
                                   number(rate(row.bytes, row) / 1e9),
                                   number(m ? 100 * row.roof_us / m->median_us : 0)};
    for (const std::string& label : libraries)
      for (std::string& cell : library_cells(find_library(row, label), true)) cells.push_back(std::move(cell));
    cells.insert(cells.end(), {std::string(m ? name(m->clock) : ""),
                               row.trial.id > 0 ? fmt::format("{}", row.trial.id) : "", row.chosen});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

JsonValue row_json(const BenchRow& row) {
  JsonValue::Object value{
      {"problem", row.problem.key()}, {"chosen", row.chosen},   {"flops", row.flops},
      {"bytes", row.bytes},           {"roof_us", row.roof_us}, {"memory_bound", row.memory_bound},
      {"trial", to_value(row.trial)}, {"warning", row.warning}, {"operations", to_value(row.operations)}};
  value.emplace_back("cache", row.temperatures);
  value.emplace_back("cost_from_data", row.cost_from_data);
  value.emplace_back("measurement", row.measurement ? to_value(*row.measurement) : JsonValue());
  value.emplace_back("library", library_value(row.library));
  value.emplace_back("library_note", row.library_note);
  value.emplace_back("energy", energy_value(row.energy));
  return value;
}

}  // namespace kerlab::cli
