#include "report/text/show_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/terminal.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "report/text/modelled_remark.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

/// "registers     168": names in a column of their own.
std::string fact_line(std::string_view title, std::string_view value) {
  return value.empty() ? "" : fmt::format("  {:<14}{}\n", title, value);
}

/// Long lists of words (options) in several lines, one under the other.
std::string fact_lines(std::string_view title, const std::string& words, int width) {
  constexpr int kTextWidth = 100, kMargin = 16;
  const std::vector<std::string> lines = word_lines(words, width > 0 ? std::max(20, width - kMargin) : kTextWidth);
  return fact_line(title, fmt::format("{}", fmt::join(lines, fmt::format("\n{:{}}", "", kMargin))));
}

std::string status_text(const TrialStory& story, bool color) {
  const Trial& trial = story.trial;
  const Style style = trial.status == TrialStatus::passed ? Style::good
                      : is_final(trial.status)            ? Style::bad
                                                          : Style::warning;
  std::string text = styled(name(trial.status), style, color);
  if (story.winner) text += ", the winner of its problem";
  if (!trial.message.empty()) text += ": " + trial.message;
  return text;
}

std::string blocks_text(std::int64_t blocks) {
  return fmt::format("{} block{} an SM", blocks, blocks == 1 ? "" : "s");
}

std::string resources_text(const TrialStory& story) {
  const Trial& trial = story.trial;
  if (trial.registers == 0) return "";  // it did not come to a binary
  std::string text = "\nresources\n";
  text += fact_line("registers", fmt::format("{} a thread, {} spilled", trial.registers,
                                             trial.spill_bytes > 0 ? format_bytes(trial.spill_bytes) : "none"));
  text += fact_line("shared memory", format_bytes(trial.shared_bytes) + " a block");
  text += fact_line("threads", fmt::format("{} a block", trial.threads));
  if (story.occupancy) {
    text += fact_line("occupancy", fmt::format("{:.0f} %, {}, limited by {}", story.occupancy->fraction * 100,
                                               blocks_text(story.occupancy->blocks), story.occupancy->limiter));
  } else if (trial.blocks_per_sm > 0) {
    text += fact_line("occupancy", blocks_text(trial.blocks_per_sm));
  }
  return text + fact_line("compilation", fmt::format("{:.0f} ms, {}", trial.compile_ms, trial.toolchain));
}

std::string member(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value == nullptr || std::holds_alternative<std::nullptr_t>(value->variant()) ? "-" : value->text();
}

/// One row for each recipe and output.
std::string check_text(const Trial& trial, int width) {
  const std::optional<JsonValue> detail = parse_json(trial.check_detail);
  if (!detail || detail->elements().empty()) return "";
  Table table{{{"recipe"},
               {"output"},
               {"result"},
               {"err/bound", Align::right},
               {"mismatches", Align::right},
               {"of", Align::right},
               {"NaN", Align::right},
               {"worst", Align::left, true}},
              {}};
  for (const JsonValue& recipe : detail->elements()) {
    table.rows.push_back({member(recipe, "recipe"), member(recipe, "output"),
                          member(recipe, "passed") == "true" ? "passed" : "wrong", member(recipe, "error_ratio"),
                          member(recipe, "mismatches"), member(recipe, "compared"), member(recipe, "nans"),
                          member(recipe, "detail")});
  }
  return "\ncheck\n" + text_table(table, false, 2, width);
}

std::string speed_text(const TrialStory& story, const Measurement& measurement) {
  if (story.flops <= 0 || measurement.median_us <= 0) return "-";
  const double flops_per_s = story.flops / measurement.median_us * 1e6;
  std::string text = format_si(flops_per_s, "FLOP/s");
  if (story.roof && story.roof->roof_flops > 0) {
    text += fmt::format(", {:.0f} % of roof", 100 * flops_per_s / story.roof->roof_flops);
  }
  return text;
}

/// A column more where the device said something of itself.
Table with_conditions(Table table, const std::vector<Measurement>& measurements) {
  const bool any = std::ranges::any_of(measurements, [](const Measurement& m) { return !m.conditions.empty(); });
  if (!any) return table;
  table.columns.push_back({"conditions", Align::left, true});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].push_back(measurements[i].conditions.empty() ? "-" : measurements[i].conditions);
  return table;
}

/// A column more where somebody else used the device.
Table with_company(Table table, const std::vector<Measurement>& measurements) {
  const bool any = std::ranges::any_of(measurements, [](const Measurement& m) { return !m.shared_with.empty(); });
  if (!any) return table;
  table.columns.push_back({"shared with", Align::left, true});
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].push_back(measurements[i].shared_with.empty() ? "-" : measurements[i].shared_with);
  return table;
}

std::string measurements_text(const TrialStory& story, int width) {
  if (story.measurements.empty()) return "";
  Table table{{{"stage"},
               {"us [95 %]"},
               {"MAD", Align::right},
               {"least", Align::right},
               {"n", Align::right},
               {"SM MHz", Align::right},
               {"cache"},
               {"clock"},
               {"speed", Align::left, true},
               {"when"}},
              {}};
  for (const Measurement& m : story.measurements) {
    table.rows.push_back({std::string(name(m.stage)), median_with_interval(m.median_us, m.low_us, m.high_us),
                          fmt::format("{:.3g}", m.mad_us), format_us(m.minimum_us),
                          fmt::format("{}", m.samples_us.size()),
                          m.sm_clock_mhz > 0 ? fmt::format("{:.0f}", m.sm_clock_mhz) : "-", std::string(name(m.cache)),
                          std::string(name(m.clock)), speed_text(story, m), m.created});
  }
  std::string text = "\nmeasurements\n" +
                     text_table(with_company(with_conditions(std::move(table), story.measurements), story.measurements),
                                false, 2, width);
  const bool modelled =
      std::ranges::any_of(story.measurements, [](const auto& m) { return m.clock == ClockKind::modelled; });
  if (modelled)
    text += folded(fmt::format("  times are {}", modelled_remark(story.trial.family, story.trial.dtype)), width, 4);
  return text;
}

}  // namespace

std::string show_text(const TrialStory& story, bool color, int width) {
  const Trial& trial = story.trial;
  std::string text =
      folded(styled(fmt::format("trial {}: {}", trial.id, label_text(trial)), Style::bold, color), width);
  text += fact_line("status", status_text(story, color)) + fact_lines("problem", trial.problem, width);
  text += fact_line("device", trial.device_class) + fact_lines("options", trial.options, width) +
          fact_line("source", trial.source_hash);
  text += resources_text(story) + check_text(trial, width) + story.accuracy + measurements_text(story, width);
  if (const std::string operations = operations_text(story.operations, 2, width); !operations.empty())
    text += "\n" + operations;
  text += story.alike;
  text += "\n" + whole_parts({"reproduce: " + story.reproduce,
                              fmt::format("SASS/PTX: kerlab show {} --save DIR{}", trial.id, story.again)},
                             width);
  return text;
}

}  // namespace kerlab::report
