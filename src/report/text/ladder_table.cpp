#include "report/text/ladder_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

constexpr int kLadderIndent = 2;

std::string kind_name(LadderRow::Kind kind) {
  switch (kind) {
    case LadderRow::Kind::best:
      return "best";
    case LadderRow::Kind::library:
      return "library";
    case LadderRow::Kind::at_default:
      break;
  }
  return "default";
}

std::string time_cell(const LadderRow& row) {
  if (row.median_us <= 0) return "-";
  return row.clock == ClockKind::modelled ? format_us(row.median_us)
                                          : median_with_interval(row.median_us, row.low_us, row.high_us);
}

std::string percent_text(double fraction) {
  if (fraction <= 0) return "-";
  return fmt::format("{:.{}f}", 100 * fraction, fraction < 0.0995 ? 1 : 0);
}

/// "2.31x": of a best configuration in brackets, because it is no step of the ladder.
std::string step_cell(const LadderRow& row) {
  if (row.step <= 0) return "-";
  const std::string text = fmt::format("{:.2f}x", row.step);
  return row.kind == LadderRow::Kind::best ? "(" + text + ")" : text;
}

std::string verified(const LadderRow& row) {
  if (!row.trial) return "-";
  return row.trial->status == TrialStatus::passed ? "yes" : "no";
}

std::string last_cell(const LadderRow& row) {
  if (!row.reason.empty()) return row.reason.substr(0, row.reason.find('\n'));
  return row.trial ? row.trial->configuration : "";
}

std::vector<std::string> resources(const LadderRow& row) {
  if (!row.trial || row.trial->registers == 0) return {"-", "-", "-", "-"};
  return {fmt::format("{}", row.trial->registers), fmt::format("{}", row.trial->spill_bytes),
          format_bytes(row.trial->shared_bytes), row.occupancy > 0 ? format_share(row.occupancy) : "-"};
}

std::vector<std::string> cells(const LadderRow& row) {
  const bool first = row.kind == LadderRow::Kind::at_default;
  std::vector<std::string> line{first ? fmt::format("{}", row.rung) : "",
                                row.kind == LadderRow::Kind::best ? "  its best" : row.name,
                                time_cell(row),
                                tera_text(row.flops_per_s),
                                percent_text(row.roof_fraction),
                                row.best_us > 0 ? format_us(row.best_us) : "-",
                                row.predicted_step > 0 ? fmt::format("{:.2f}x", row.predicted_step) : "-",
                                step_cell(row)};
  for (std::string& cell : resources(row)) line.push_back(std::move(cell));
  line.push_back(verified(row));
  line.push_back(last_cell(row));
  return line;
}

std::string exact(double value) {
  return value > 0 ? fmt::format("{}", value) : "";
}

}  // namespace

Table ladder_table(const std::vector<LadderRow>& rows, int width) {
  const bool modelled =
      std::any_of(rows.begin(), rows.end(), [](const LadderRow& row) { return row.clock == ClockKind::modelled; });
  Table table{{{"rung"},
               {"variant"},
               {modelled ? "us modelled" : "us [95 %]"},
               {"TFLOP/s"},
               {"% roof"},
               {"tuned"},
               {"predicted"},
               {"step"}},
              {}};
  for (const char* title : {"regs", "spill", "smem", "occ", "verified"}) table.columns.push_back({title});
  table.columns.push_back({"configuration", Align::left, true});
  for (const LadderRow& row : rows) table.rows.push_back(cells(row));
  const auto nowhere = [&](double LadderRow::*figure) {
    return std::ranges::none_of(rows, [&](const LadderRow& row) { return row.*figure > 0; });
  };
  if (nowhere(&LadderRow::best_us)) leave_out(table, {"tuned"}, -1);
  if (nowhere(&LadderRow::predicted_step)) leave_out(table, {"predicted"}, -1);
  if (width > 0) leave_out(table, {"smem", "occ", "spill", "regs"}, width - kLadderIndent);
  return table;
}

Table ladder_csv_table(const std::vector<LadderRow>& rows) {
  Table table;
  for (const char* title : {"rung",      "variant",     "which",         "us",        "low_us",         "high_us",
                            "clock",     "flops_per_s", "roof_fraction", "best_us",   "predicted_step", "step",
                            "registers", "spill_bytes", "shared_bytes",  "occupancy", "verified",       "configuration",
                            "trial",     "reason"})
    table.columns.push_back({title});
  for (const LadderRow& row : rows) {
    const Trial trial = row.trial.value_or(Trial{});
    table.rows.push_back({row.kind == LadderRow::Kind::library ? "" : fmt::format("{}", row.rung),
                          row.name,
                          kind_name(row.kind),
                          exact(row.median_us),
                          exact(row.low_us),
                          exact(row.high_us),
                          std::string(name(row.clock)),
                          exact(row.flops_per_s),
                          exact(row.roof_fraction),
                          exact(row.best_us),
                          exact(row.predicted_step),
                          exact(row.step),
                          fmt::format("{}", trial.registers),
                          fmt::format("{}", trial.spill_bytes),
                          fmt::format("{}", trial.shared_bytes),
                          exact(row.occupancy),
                          verified(row),
                          trial.configuration,
                          trial.id > 0 ? fmt::format("{}", trial.id) : "",
                          row.reason});
  }
  return table;
}

}  // namespace kerlab::report
