#include "report/tune_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/configuration_columns.h"

namespace kerlab {

namespace {

constexpr int kIndent = 2;

std::string percent(double fraction) {
  return fraction > 0 ? fmt::format("{:.{}f}", fraction * 100, fraction < 0.0995 ? 1 : 0) : "-";
}

/// Of times in the same rounds.
std::string versus_first(const TuneRow& row) {
  if (!row.versus_first) return "-";
  if (row.rank == 1) return "1";
  const Interval& interval = row.versus_first->interval;
  return fmt::format("{:.3f} [{:.3f},{:.3f}]", row.versus_first->ratio, interval.low, interval.high);
}

std::string row_time_text(const TuneRow& row) {
  if (row.derived) return "~" + format_us(row.median_us);
  const bool interval = !row.modelled && row.high_us > 0;
  return interval ? median_with_interval(row.median_us, row.low_us, row.high_us) : format_us(row.median_us);
}

std::string rate_text(const TuneRow& row) {
  if (!row.memory_bound) return tera_text(row.flops_per_s);
  return row.bytes_per_s > 0 ? fmt::format("{:.4g}", row.bytes_per_s / 1e9) : "-";
}

template <typename Holds>
bool any(const std::vector<TuneRow>& rows, Holds&& holds) {
  return std::any_of(rows.begin(), rows.end(), holds);
}

std::string note_text(const TuneRow& row) {
  return row.note.empty() ? "" : fmt::format(" ({})", row.note);
}

void add_column(Table& table, Column column, const std::vector<TuneRow>& rows, auto&& cell) {
  table.columns.push_back(std::move(column));
  for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].push_back(cell(rows[r]));
}

/// Rank, time and rate.
Table speed_columns(const std::vector<TuneRow>& rows) {
  Table table{{}, std::vector<std::vector<std::string>>(rows.size())};
  const bool modelled = any(rows, [](const TuneRow& row) { return row.modelled; });
  const bool compared = rows.size() > 1 && !modelled &&
                        any(rows, [](const TuneRow& row) { return row.rank > 1 && row.versus_first.has_value(); });
  add_column(table, {"#"}, rows, [](const TuneRow& row) { return fmt::format("{}{}", row.rank, row.tied ? "=" : ""); });
  add_column(table, {modelled ? "us modelled" : "us [95 %]"}, rows, row_time_text);
  if (compared) add_column(table, {"vs #1 [95 %]"}, rows, versus_first);
  add_column(table, {rows.front().memory_bound ? "GB/s" : "TFLOP/s"}, rows, rate_text);
  add_column(table, {"% roof"}, rows, [](const TuneRow& row) { return percent(row.roof_fraction); });
  return table;
}

void add_timed(Table& table, const std::vector<TuneRow>& rows) {
  if (any(rows, [&](const TuneRow& row) { return row.timed != rows.front().timed; }))
    add_column(table, {"timed"}, rows, [](const TuneRow& row) { return row.timed; });
}

void add_resources(Table& table, const std::vector<TuneRow>& rows) {
  add_column(table, {"regs"}, rows, [](const TuneRow& row) { return fmt::format("{}", row.trial.registers); });
  add_column(table, {"spill"}, rows, [](const TuneRow& row) { return fmt::format("{}", row.trial.spill_bytes); });
  add_column(table, {"smem"}, rows, [](const TuneRow& row) { return format_bytes(row.trial.shared_bytes); });
  add_column(table, {"occ"}, rows,
             [](const TuneRow& row) { return row.occupancy > 0 ? percent(row.occupancy) + " %" : "-"; });
  add_column(table, {"err/bound"}, rows,
             [](const TuneRow& row) { return fmt::format("{:.2f}", row.trial.error_ratio); });
}

/// What says least, that first.
std::vector<std::string> least_telling(const std::vector<TuneRow>& rows) {
  std::vector<std::string> order = {"smem", "occ", "err/bound", "regs"};
  const bool spills = any(rows, [](const TuneRow& row) { return row.trial.spill_bytes > 0; });
  order.insert(spills ? order.end() : order.begin(), "spill");
  if (rows.front().modelled) order.emplace_back("timed");  // a model says the same in the sweep and in the finals
  return order;
}

/// One column for each parameter that differs.
Table wide_table(const std::vector<TuneRow>& rows, const ConfigurationColumns& differing) {
  Table table = speed_columns(rows);
  add_timed(table, rows);
  if (differing.variants_differ)
    add_column(table, {"variant"}, rows, [](const TuneRow& row) { return row.trial.variant; });
  for (std::size_t p = 0; p < differing.names.size(); ++p) {
    table.columns.push_back({differing.names[p]});
    for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].push_back(differing.cells[r][p]);
  }
  add_resources(table, rows);
  if (any(rows, [](const TuneRow& row) { return !row.note.empty(); }))
    add_column(table, {"", Align::left, true}, rows, [](const TuneRow& row) { return row.note; });
  return table;
}

/// All that differs in one column, by name.
Table narrow_table(const std::vector<TuneRow>& rows, const ConfigurationColumns& differing) {
  Table table = speed_columns(rows);
  if (!rows.front().modelled) add_timed(table, rows);
  table.columns.push_back({"configuration", Align::left, true});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string cell = differing.variants_differ ? rows[r].trial.variant : "";
    for (std::size_t p = 0; p < differing.names.size(); ++p)
      if (!differing.cells[r][p].empty())
        cell += fmt::format("{}{}={}", cell.empty() ? "" : " ", differing.names[p], differing.cells[r][p]);
    table.rows[r].push_back(cell + note_text(rows[r]));
  }
  return table;
}

ConfigurationColumns columns_of(const std::vector<TuneRow>& rows) {
  std::vector<NamedConfiguration> named;
  for (const TuneRow& row : rows) named.push_back({row.trial.variant, row.trial.configuration});
  return configuration_columns(named);
}

}  // namespace

std::string tera_text(double flops_per_s) {
  if (flops_per_s <= 0) return "-";
  const double value = flops_per_s / 1e12;
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}f}", value, value >= 1 ? 2 : value >= 0.01 ? 3 : 5);
}

std::string median_with_interval(double median_us, double low_us, double high_us) {
  if (low_us == median_us && high_us == median_us) return format_us(median_us);  // a model's
  const int most = median_us > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(median_us))), 0, 6) : 2;
  int decimals = std::max(0, most - 1);
  if (fmt::format("{:.{}f}", low_us, decimals) == fmt::format("{:.{}f}", high_us, decimals)) decimals = most;
  return fmt::format("{} [{:.{}f},{:.{}f}]", format_us(median_us), low_us, decimals, high_us, decimals);
}

std::string rate_with_unit(double flops_per_s, double bytes_per_s, bool memory_bound) {
  return memory_bound ? format_si(bytes_per_s, "B/s") : format_si(flops_per_s, "FLOP/s");
}

Table tune_table(const std::vector<TuneRow>& rows) {
  if (rows.empty()) return {};
  Table table = speed_columns(rows);
  add_timed(table, rows);
  add_resources(table, rows);
  add_column(table, {"configuration", Align::left, true}, rows, [](const TuneRow& row) {
    return row.trial.variant + (row.trial.configuration.empty() ? "" : " ") + row.trial.configuration + note_text(row);
  });
  return table;
}

std::string tune_text(const std::vector<TuneRow>& rows, bool color, int width) {
  if (rows.empty()) return "";
  const ConfigurationColumns differing = columns_of(rows);
  Table table = wide_table(rows, differing);
  if (width > 0) {
    leave_out(table, least_telling(rows), width - kIndent);
    if (least_width(table) + kIndent > width) table = narrow_table(rows, differing);
  }
  std::string text = text_table(table, color, kIndent, width);
  std::string common;
  for (const auto& [whose, parameters] : differing.common)
    common += fmt::format("{}{}: {}", common.empty() ? "  " : "; ", whose, parameters);
  return common.empty() ? text : text + folded(common, width, 2 * kIndent);
}

}  // namespace kerlab
