#include "report/tune_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace kerlab {

namespace {

constexpr int kIndent = 2;

std::string percent(double fraction) {
  return fraction > 0 ? fmt::format("{:.0f}", fraction * 100) : "-";
}

/// ".65": a ratio below one without its zero.
std::string short_ratio(double ratio) {
  const std::string text = fmt::format("{:.2f}", ratio);
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string versus(const std::optional<PairedRatio>& ratio) {
  if (!ratio) return "-";
  return fmt::format("{:.2f} [{},{}]", ratio->ratio, short_ratio(ratio->interval.low),
                     short_ratio(ratio->interval.high));
}

/// Of times in the same rounds; a model's have no interval.
std::string versus_first(const TuneRow& row) {
  if (!row.versus_first) return "-";
  if (row.rank == 1) return "1";
  const std::string ratio = fmt::format("{:.3f}", row.versus_first->ratio);
  const Interval& interval = row.versus_first->interval;
  return row.modelled ? ratio : fmt::format("{} [{:.3f},{:.3f}]", ratio, interval.low, interval.high);
}

std::string time_text(const TuneRow& row) {
  if (row.derived) return "~" + format_us(row.median_us);
  return row.modelled ? format_us(row.median_us) : median_with_interval(row.median_us, row.low_us, row.high_us);
}

std::string compact_bytes(std::int64_t bytes) {
  std::string text = format_bytes(bytes);
  std::erase(text, ' ');
  return text;
}

std::string configuration(const TuneRow& row) {
  const std::string text =
      row.trial.configuration.empty() ? row.trial.variant : row.trial.variant + " " + row.trial.configuration;
  return row.note.empty() ? text : fmt::format("{} ({})", text, row.note);
}

/// Shortens the configuration, never the note behind it.
std::string fitted_configuration(const TuneRow& row, int room) {
  const std::string whole = configuration(row);
  if (display_width(whole) <= room) return whole;
  if (row.note.empty()) return shortened(whole, room);
  const std::string note = fmt::format(" ({})", row.note);
  TuneRow bare = row;
  bare.note.clear();
  return shortened(configuration(bare), std::max(3, room - display_width(note))) + note;
}

std::vector<std::string> cells(const TuneRow& row, bool with_first, bool with_library) {
  const Trial& trial = row.trial;
  std::vector<std::string> line{fmt::format("{}{}", row.rank, row.tied ? "=" : ""), time_text(row)};
  if (with_first) line.push_back(versus_first(row));
  line.push_back(tera_text(row.flops_per_s));
  if (with_library) line.push_back(versus(row.versus_library));
  line.insert(line.end(),
              {percent(row.roof_fraction), fmt::format("{}", trial.registers), fmt::format("{}", trial.spill_bytes),
               compact_bytes(trial.shared_bytes), row.occupancy > 0 ? percent(row.occupancy) + "%" : "-",
               fmt::format("{:.2f}", trial.error_ratio), configuration(row)});
  return line;
}

int width_of(const Table& table, std::size_t column) {
  int widest = display_width(table.columns[column].title);
  for (const auto& row : table.rows) widest = std::max(widest, display_width(row[column]));
  return widest;
}

}  // namespace

std::string tera_text(double flops_per_s) {
  if (flops_per_s <= 0) return "-";
  const double value = flops_per_s / 1e12;
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}f}", value, value >= 1 ? 2 : value >= 0.01 ? 3 : 5);
}

std::string median_with_interval(double median_us, double low_us, double high_us) {
  const int most = median_us > 0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(median_us))), 0, 6) : 2;
  int decimals = std::max(0, most - 1);
  if (fmt::format("{:.{}f}", low_us, decimals) == fmt::format("{:.{}f}", high_us, decimals)) decimals = most;
  return fmt::format("{} [{:.{}f},{:.{}f}]", format_us(median_us), low_us, decimals, high_us, decimals);
}

Table tune_table(const std::vector<TuneRow>& rows, int width) {
  const bool with_library =
      std::any_of(rows.begin(), rows.end(), [](const TuneRow& row) { return row.versus_library.has_value(); });
  const bool with_first = rows.size() > 1 && std::any_of(rows.begin(), rows.end(), [](const TuneRow& row) {
                            return row.versus_first.has_value();
                          });
  const bool modelled = std::any_of(rows.begin(), rows.end(), [](const TuneRow& row) { return row.modelled; });
  Table table{{{"#"}, {modelled ? "us modelled" : "us [95 %]"}}, {}};
  if (with_first) table.columns.push_back({modelled ? "vs #1" : "vs #1 [95 %]"});
  table.columns.push_back({"TFLOP/s"});
  if (with_library) table.columns.push_back({"vs cuBLASLt"});
  for (const char* title : {"% roof", "regs", "spill", "smem", "occ", "err/bound", "configuration"}) {
    table.columns.push_back({title});
  }
  for (const TuneRow& row : rows) table.rows.push_back(cells(row, with_first, with_library));
  if (width <= 0) return table;
  int used = kIndent, longest = 0;
  for (std::size_t c = 0; c + 1 < table.columns.size(); ++c) used += width_of(table, c) + 2;
  for (const TuneRow& row : rows) longest = std::max(longest, display_width(configuration(row)));
  // Which configuration it is tells more than what kerlab show tells of it as well.
  for (const char* title : {"err/bound", "smem", "spill", "occ", "regs"}) {
    if (longest <= width - used) break;
    const auto column = std::ranges::find(table.columns, title, &Column::title) - table.columns.begin();
    used -= width_of(table, static_cast<std::size_t>(column)) + 2;
    table.columns.erase(table.columns.begin() + column);
    for (auto& row : table.rows) row.erase(row.begin() + column);
  }
  // On a very narrow terminal a line wraps rather than saying nothing.
  const int room = std::max(width - used, 24);
  for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].back() = fitted_configuration(rows[r], room);
  return table;
}

std::string tune_text(const std::vector<TuneRow>& rows, bool color, int width) {
  return text_table(tune_table(rows, width), color, kIndent);
}

}  // namespace kerlab
