#include "report/text/tune_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "report/text/configuration_columns.h"

namespace kerlab::report {

namespace {

constexpr int kIndent = 2;
constexpr std::ptrdiff_t kFew = 3;  // parameters, to be named even where room is short

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
    add_column(table, {"variant"}, rows, [](const TuneRow& row) { return variant_text(row.trial); });
  for (std::size_t p = 0; p < differing.names.size(); ++p) {
    table.columns.push_back({differing.names[p]});
    for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].push_back(differing.cells[r][p]);
  }
  add_resources(table, rows);
  if (any(rows, [](const TuneRow& row) { return !row.note.empty(); }))
    add_column(table, {"", Align::left, true}, rows, [](const TuneRow& row) { return row.note; });
  return table;
}

/// Columns for the parameters at `own`; the others by name in the last one, where they have not the usual value.
Table narrow_table(const std::vector<TuneRow>& rows, const ConfigurationColumns& differing,
                   const std::set<std::size_t>& own) {
  Table table = speed_columns(rows);
  if (!rows.front().modelled) add_timed(table, rows);
  if (differing.variants_differ)
    add_column(table, {"variant"}, rows, [](const TuneRow& row) { return variant_text(row.trial); });
  for (const std::size_t p : own) {
    table.columns.push_back({differing.names[p]});
    for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].push_back(differing.cells[r][p]);
  }
  table.columns.push_back({"and", Align::left, true});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string cell;
    for (std::size_t p = 0; p < differing.names.size(); ++p)
      if (const std::string& value = differing.cells[r][p];
          !own.contains(p) && !value.empty() && value != differing.usual[p])
        cell += fmt::format("{}{}={}", cell.empty() ? "" : " ", differing.names[p], value);
    table.rows[r].push_back(cell + note_text(rows[r]));
  }
  return table;
}

/// Parameters that get a column of their own: as many as leave every row on one line, the most telling first. None
/// where even that is not to be had.
std::set<std::size_t> own_columns(const std::vector<TuneRow>& rows, const ConfigurationColumns& differing, int width) {
  const std::vector<std::size_t> order = most_telling(differing);
  for (std::size_t count = order.size(); count > 0; --count) {
    const std::set<std::size_t> own(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    if (unbroken_width(narrow_table(rows, differing, own)) <= width) return own;
  }
  return {};
}

/// "all: BK=64 STAGES=4; hopper: STREAM=0". `brief`: of what is one variant's own only how much it is. What is the
/// first row's own is left out where there are others: it stands in full below.
std::string common_text(const std::vector<TuneRow>& rows, const ConfigurationColumns& differing,
                        const std::string& unsaid, bool brief) {
  std::vector<std::string> parts;
  for (const auto& [whose, parameters] : differing.common) {
    if (differing.variants_differ && whose == rows.front().trial.variant) continue;
    const auto count = std::ranges::count(parameters, '=');
    if (brief && whose != "all" && count > kFew)
      parts.push_back(fmt::format("{}: {} others alike", whose, count));
    else
      parts.push_back(fmt::format("{}: {}", whose, parameters));
  }
  if (!unsaid.empty()) parts.push_back(unsaid);
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// What the last column of a narrow table leaves unsaid.
std::string usual_text(const ConfigurationColumns& differing, const std::set<std::size_t>& own) {
  std::string text;
  for (std::size_t p = 0; p < differing.names.size(); ++p)
    if (!own.contains(p)) text += fmt::format(" {}={}", differing.names[p], differing.usual[p]);
  return text.empty() ? "" : "unless said:" + text;
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

std::string median_with_interval(const Measurement& m) {
  return m.clock == ClockKind::modelled ? format_us(m.median_us)
                                        : median_with_interval(m.median_us, m.low_us, m.high_us);
}

std::string rate_with_unit(double flops_per_s, double bytes_per_s, bool memory_bound) {
  return memory_bound ? format_si(bytes_per_s, "B/s") : format_si(flops_per_s, "FLOP/s");
}

Table tune_table(const std::vector<TuneRow>& rows) {
  if (rows.empty()) return {};
  Table table = speed_columns(rows);
  add_timed(table, rows);
  add_resources(table, rows);
  add_column(table, {"configuration", Align::left, true}, rows,
             [](const TuneRow& row) { return label_text(row.trial) + note_text(row); });
  return table;
}

std::string tune_text(const std::vector<TuneRow>& rows, bool color, int width) {
  if (rows.empty()) return "";
  const ConfigurationColumns differing = columns_of(rows);
  Table table = wide_table(rows, differing);
  std::string unsaid;
  if (width > 0) {
    leave_out(table, least_telling(rows), width - kIndent);
    if (least_width(table) + kIndent > width) {
      const std::set<std::size_t> own = own_columns(rows, differing, width - kIndent);
      table = narrow_table(rows, differing, own);
      unsaid = usual_text(differing, own);
    }
  }
  std::string text = text_table(table, color, kIndent, width);
  std::string common = common_text(rows, differing, unsaid, false);
  if (width > 0 && display_width(common) > 2 * (width - 2 * kIndent))
    common = common_text(rows, differing, unsaid, true);
  return common.empty() ? text : text + folded("  " + common, width, 2 * kIndent);
}

}  // namespace kerlab::report
