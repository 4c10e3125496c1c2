#include "cli/bench/sweep_drawing.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/format.h"
#include "cli/frame/library_cells.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

std::int64_t dimension(const Problem& problem, const std::string& name) {
  for (const auto& [key, value] : problem.dimensions)
    if (key == name) return value;
  return 0;
}

std::size_t values_of(const std::vector<BenchRow>& rows, const std::string& name) {
  std::set<std::int64_t> values;
  for (const BenchRow& row : rows) values.insert(dimension(row.problem, name));
  return values.size();
}

/// The first of those with the most values; empty: none varies.
std::string swept(const std::vector<BenchRow>& rows) {
  std::string found;
  std::size_t most = 1;
  for (const auto& [name, value] : rows.front().problem.dimensions) {
    const std::size_t values = values_of(rows, name);
    if (values <= most) continue;
    most = values;
    found = name;
  }
  return found;
}

/// Dimensions that have several values for one value of the swept one.
std::vector<std::string> further(const std::vector<BenchRow>& rows, const std::string& over) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : rows.front().problem.dimensions) {
    std::map<std::int64_t, std::set<std::int64_t>> values;
    for (const BenchRow& row : rows) values[dimension(row.problem, over)].insert(dimension(row.problem, name));
    if (std::ranges::any_of(values, [](const auto& of_one) { return of_one.second.size() > 1; })) names.push_back(name);
  }
  return names;
}

/// dtype, flags and further dimensions, in words.
std::string traits(const Problem& problem, const std::vector<std::string>& further_dimensions) {
  std::string text{name(problem.dtype)};
  for (const auto& [flag, value] : problem.flags)
    if (!problem.unsaid.contains(flag)) text += " " + value;
  for (const std::string& dimension_name : further_dimensions)
    text += fmt::format(" {}={}", dimension_name, dimension(problem, dimension_name));
  return text;
}

}  // namespace

SweepDrawing sweep_drawing(const std::vector<BenchRow>& rows, const std::string& device) {
  const std::string over = rows.empty() ? "" : swept(rows);
  if (over.empty()) throw UsageError("--svg draws over a dimension: give one several values, as in --M 1K..16K:x2");
  const bool memory = std::ranges::all_of(rows, [](const BenchRow& row) { return row.memory_bound; });
  const std::vector<std::string> others = further(rows, over);
  std::set<std::string> all_traits;
  for (const BenchRow& row : rows) all_traits.insert(traits(row.problem, others));

  SweepDrawing drawing;
  drawing.title = rows.front().problem.family + (all_traits.size() == 1 ? " " + *all_traits.begin() : "");
  drawing.x = over;
  drawing.y = memory ? "GB/s" : "TFLOP/s";
  const auto add = [&](const std::string& label, bool library, const BenchRow& row, double us) {
    const std::string full = all_traits.size() == 1 ? label : label + " " + traits(row.problem, others);
    auto at = std::ranges::find(drawing.series, full, &SweepSeries::label);
    if (at == drawing.series.end()) at = drawing.series.insert(at, {full, library});
    const double rate = memory ? row.bytes / us / 1e3 : row.flops / us / 1e6;
    at->points.push_back({static_cast<double>(dimension(row.problem, over)), rate});
  };
  bool modelled = false;
  for (const BenchRow& row : rows) {
    if (!row.measurement) continue;
    modelled = modelled || row.measurement->clock == ClockKind::modelled;
    add(variant_text(row.trial), false, row, row.measurement->median_us);
    for (const LibraryRow& library : row.library) add(library_way(library.label), true, row, library.summary.median);
  }
  drawing.subtitle = device + (modelled ? " (modelled, not measured)" : "");
  return drawing;
}

}  // namespace kerlab::cli
