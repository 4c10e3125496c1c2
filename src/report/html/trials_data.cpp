#include "report/html/trials_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/format.h"
#include "report/form/clock_words.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kLongestMessage = 300;

struct Row {
  const ReportProblem& problem;
  const ReportTrial& one;
};

using Text = std::function<std::string(const Row&)>;
using Number = std::function<double(const Row&)>;

class Columns {
 public:
  explicit Columns(const std::vector<ReportPart>& parts) {
    for (const ReportPart& part : parts)
      for (const ReportTrial& one : part.problem.trials) rows_.push_back({part.problem, one});
  }

  void text(std::string key, std::string title, const Text& text) {
    TrialColumn column{std::move(key), std::move(title), false, {}, {}};
    for (const Row& row : rows_) column.text.push_back(text(row));
    add(std::move(column));
  }

  /// `text` is asked only where there is a number.
  void number(std::string key, std::string title, const Number& number, const Text& text) {
    TrialColumn column{std::move(key), std::move(title), true, {}, {}};
    for (const Row& row : rows_) {
      column.value.push_back(number(row));
      column.text.push_back(std::isnan(column.value.back()) ? "-" : text(row));
    }
    add(std::move(column));
  }

  void integer(std::string key, std::string title, const std::function<std::int64_t(const Row&)>& get) {
    number(
        std::move(key), std::move(title), [&](const Row& row) { return static_cast<double>(get(row)); },
        [&](const Row& row) { return fmt::format("{}", get(row)); });
  }

  std::vector<TrialColumn> take() { return std::move(columns_); }

 private:
  void add(TrialColumn column) {
    const bool says = std::any_of(column.text.begin(), column.text.end(),
                                  [](const std::string& text) { return !text.empty() && text != "-"; });
    if (says) columns_.push_back(std::move(column));
  }

  std::vector<Row> rows_;
  std::vector<TrialColumn> columns_;
};

std::string status_text(const Row& row) {
  std::string text(name(row.one.trial.status));
  if (row.one.winner) text += ", winner";
  if (row.one.tied) text += ", tie";
  return text;
}

double positive(double value) {
  return value > 0 ? value : kNone;
}

bool several_devices(const std::vector<ReportPart>& parts) {
  const ReportProblem& first = parts.front().problem;
  return std::any_of(parts.begin(), parts.end(), [&](const ReportPart& part) {
    return part.problem.clock != first.clock || part.problem.device_class != first.device_class;
  });
}

std::string title_of_time(const std::vector<ReportPart>& parts) {
  const ClockKind clock = parts.front().problem.clock;
  const bool same =
      std::all_of(parts.begin(), parts.end(), [&](const ReportPart& part) { return part.problem.clock == clock; });
  return same ? time_heading(clock) : "us";
}

void add_figures(Columns& columns, const std::vector<ReportPart>& parts) {
  const auto us = [](const Row& row) { return row.one.time ? row.one.time->median_us : kNone; };
  columns.number("us", title_of_time(parts), us, [](const Row& row) {
    return median_with_interval(*row.one.time) + unless_measured(row.problem.clock);
  });
  columns.number(
      "tflops", "TFLOP/s", [](const Row& row) { return positive(row.one.flops_per_s / 1e12); },
      [](const Row& row) { return tera_text(row.one.flops_per_s); });
  columns.number(
      "gbs", "GB/s", [](const Row& row) { return positive(row.one.bytes_per_s / 1e9); },
      [](const Row& row) { return fmt::format("{:.4g}", row.one.bytes_per_s / 1e9); });
  columns.number(
      "roof", "% roof", [](const Row& row) { return positive(100 * row.one.of_roof); },
      [](const Row& row) { return fmt::format("{:.1f}", 100 * row.one.of_roof); });
  columns.text("variant", "variant", [](const Row& row) { return variant_text(row.one.trial); });
  columns.text("configuration", "configuration", [](const Row& row) { return row.one.trial.configuration; });
  columns.number(
      "err", "err/bound", [](const Row& row) { return positive(row.one.trial.error_ratio); },
      [](const Row& row) {
        const double ratio = row.one.trial.error_ratio;
        return std::isfinite(ratio) ? fmt::format("{:.3g}", ratio) : std::string("not finite");
      });
}

}  // namespace

std::vector<TrialColumn> trial_columns(const std::vector<ReportPart>& parts) {
  Columns columns(parts);
  columns.integer("trial", "trial", [](const Row& row) { return row.one.trial.id; });
  if (parts.size() > 1) columns.text("problem", "problem", [](const Row& row) { return row.problem.title; });
  if (several_devices(parts))
    columns.text("device", "device", [](const Row& row) { return device_label(row.problem); });
  columns.text("status", "status", status_text);
  add_figures(columns, parts);
  columns.integer("regs", "regs", [](const Row& row) { return row.one.trial.registers; });
  columns.integer("spill", "spill", [](const Row& row) { return row.one.trial.spill_bytes; });
  columns.number(
      "smem", "smem", [](const Row& row) { return static_cast<double>(row.one.trial.shared_bytes); },
      [](const Row& row) { return format_bytes(row.one.trial.shared_bytes); });
  columns.number(
      "screened", "us, search", [](const Row& row) { return positive(row.one.screen_us); },
      [](const Row& row) { return format_us(row.one.screen_us); });
  columns.text("stage", "timed in",
               [](const Row& row) { return std::string(row.one.time ? name(row.one.time->stage) : "-"); });
  columns.integer("session", "session", [](const Row& row) { return row.one.trial.session; });
  columns.text("message", "message", [](const Row& row) {
    const std::string& message = row.one.trial.message;
    return shortened(message.substr(0, message.find('\n')), kLongestMessage);
  });
  return columns.take();
}

std::vector<std::size_t> fastest_first(const std::vector<ReportPart>& parts) {
  struct Key {
    std::size_t part;
    double us;
  };
  std::vector<Key> keys;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const ReportTrial& one : parts[p].problem.trials)
      keys.push_back({p, one.time ? one.time->median_us : std::numeric_limits<double>::infinity()});
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(keys[a].part, keys[a].us) < std::pair(keys[b].part, keys[b].us);
  });
  return order;
}

JsonValue trials_value(const std::vector<TrialColumn>& columns) {
  JsonValue::Array values;
  for (const TrialColumn& column : columns) {
    JsonValue::Object object{{"key", column.key}, {"title", column.title}, {"numeric", column.numeric}};
    JsonValue::Array numbers;
    bool plain = column.numeric;  // the text is the number: it need not be there twice
    for (std::size_t i = 0; i < column.value.size(); ++i) {
      const double value = column.value[i];
      const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
      numbers.push_back(!std::isfinite(value) ? JsonValue()
                        : whole               ? JsonValue(static_cast<std::int64_t>(value))
                                              : JsonValue(std::stod(fmt::format("{:.7g}", value))));
      plain = plain && column.text[i] == fmt::format("{}", value);
    }
    if (column.numeric) object.emplace_back("value", std::move(numbers));
    if (!plain) object.emplace_back("text", column.text);
    values.push_back(std::move(object));
  }
  return values;
}

Table trials_table(const std::vector<TrialColumn>& columns, const std::vector<std::size_t>& order, std::size_t most) {
  Table table;
  for (const TrialColumn& column : columns)
    table.columns.push_back({column.title, column.numeric ? Align::right : Align::left});
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    auto& row = table.rows.emplace_back();
    for (const TrialColumn& column : columns) row.push_back(column.text[order[i]]);
  }
  return table;
}

}  // namespace kerlab::report
