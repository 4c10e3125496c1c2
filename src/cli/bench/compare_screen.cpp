#include "cli/bench/compare_screen.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/format.h"
#include "cli/frame/check_screen.h"
#include "report/text/modelled_remark.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

std::string letter(std::size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('A' + index)) : fmt::format("#{}", index + 1);
}

/// "BM=128", "BN=64"
std::vector<std::string> assignments(const ComparedKernel& kernel) {
  std::istringstream words(kernel.trial.configuration);
  return {std::istream_iterator<std::string>(words), {}};
}

bool in_all(const Comparison& comparison, const std::string& assignment) {
  return std::ranges::all_of(comparison.kernels, [&](const ComparedKernel& kernel) {
    const std::vector<std::string> own = assignments(kernel);
    return std::ranges::find(own, assignment) != own.end();
  });
}

/// What of its configuration the others do not share.
std::string own_configuration(const Comparison& comparison, const ComparedKernel& kernel) {
  std::vector<std::string> own = assignments(kernel);
  std::erase_if(own, [&](const std::string& assignment) { return in_all(comparison, assignment); });
  return fmt::format("{}", fmt::join(own, " "));
}

std::string shared_configuration(const Comparison& comparison) {
  std::vector<std::string> shared = assignments(comparison.kernels.front());
  std::erase_if(shared, [&](const std::string& assignment) { return !in_all(comparison, assignment); });
  return fmt::format("{}", fmt::join(shared, " "));
}

std::string time_of(const ComparedKernel& kernel) {
  return kernel.measurement ? median_with_interval(*kernel.measurement) : std::string(name(kernel.trial.status));
}

std::string rate_of(const Comparison& comparison, const ComparedKernel& kernel) {
  if (!kernel.measurement) return "-";
  const double seconds = kernel.measurement->median_us / 1e6;
  return comparison.memory_bound ? fmt::format("{:.0f}", comparison.bytes / seconds / 1e9)
                                 : tera_text(comparison.flops / seconds);
}

Table kernel_table(const Comparison& comparison) {
  const bool modelled = comparison.clock == ClockKind::modelled;
  Table table{{{""},
               {"kernel"},
               {"configuration", Align::left, true},
               {modelled ? "us (modelled)" : "us [95 %]", Align::right},
               {comparison.memory_bound ? "GB/s" : "TFLOP/s", Align::right},
               {"chosen", Align::left, true},
               {"trial", Align::right}},
              {}};
  const bool alike = std::ranges::all_of(
      comparison.kernels, [&](const ComparedKernel& kernel) { return own_configuration(comparison, kernel).empty(); });
  if (alike) table.columns.erase(table.columns.begin() + 2);
  for (std::size_t i = 0; i < comparison.kernels.size(); ++i) {
    const ComparedKernel& kernel = comparison.kernels[i];
    std::vector<std::string> cells{letter(i), kernel.name};
    if (!alike) cells.push_back(own_configuration(comparison, kernel));
    for (std::string cell : {time_of(kernel), rate_of(comparison, kernel), kernel.how,
                             kernel.trial.id > 0 ? fmt::format("{}", kernel.trial.id) : "-"})
      cells.push_back(std::move(cell));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::optional<double> value_of(const ComparedKernel& kernel, const std::string& figure) {
  const auto at = std::ranges::find(kernel.figures, figure, &Figure::name);
  return at == kernel.figures.end() ? std::nullopt : std::optional(at->value);
}

/// All names of figures, in the order of the first kernel's.
std::vector<std::string> figure_names(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedKernel& kernel : comparison.kernels)
    for (const Figure& figure : kernel.figures)
      if (figure.name != "modelled_us" && std::ranges::find(names, figure.name) == names.end())
        names.push_back(figure.name);
  return names;
}

/// Those figures that differ, and how many times as much the others have as the first.
Table difference_table(const Comparison& comparison) {
  Table table{{{"what differs"}}, {}};
  for (std::size_t i = 0; i < comparison.kernels.size(); ++i) table.columns.push_back({letter(i), Align::right});
  for (std::size_t i = 1; i < comparison.kernels.size(); ++i)
    table.columns.push_back({letter(i) + " / A", Align::right});
  for (const std::string& figure : figure_names(comparison)) {
    std::vector<double> values;
    for (const ComparedKernel& kernel : comparison.kernels) values.push_back(value_of(kernel, figure).value_or(0));
    if (std::ranges::count(values, values.front()) == static_cast<std::ptrdiff_t>(values.size())) continue;
    std::vector<std::string> cells{figure_title(figure)};
    for (const double value : values) cells.push_back(grouped(static_cast<std::int64_t>(value)));
    for (std::size_t i = 1; i < values.size(); ++i)
      cells.push_back(values.front() > 0 ? fmt::format("{:.2f}", values[i] / values.front()) : "-");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// As many decimals as tell a small difference.
std::string times(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 1.1 ? 3 : 2);
}

std::string speed_sentence(const Comparison& comparison, std::size_t index) {
  const ComparedKernel& kernel = comparison.kernels[index];
  const PairedRatio& speed = *kernel.speed;
  const bool modelled = comparison.clock == ClockKind::modelled, slower = speed.ratio < 1;
  const double ratio = slower ? 1 / speed.ratio : speed.ratio;
  const double low = slower ? 1 / speed.interval.high : speed.interval.low;
  const double high = slower ? 1 / speed.interval.low : speed.interval.high;
  const std::string faster = slower ? "A" : letter(index), other = slower ? letter(index) : "A";
  const std::string rounds = fmt::format(
      "(95 %, {})", format_count(static_cast<std::int64_t>(kernel.measurement->samples_us.size()), "round"));
  if (modelled && ratio == 1) return fmt::format("A and {} take the same time   (modelled)", letter(index));
  if (modelled) return fmt::format("{} is {} times as fast as {}   (modelled)", faster, times(ratio), other);
  if (low <= 1)
    return fmt::format("no difference seen between A and {}: {} [{}, {}]   {}", letter(index), times(speed.ratio),
                       times(speed.interval.low), times(speed.interval.high), rounds);
  return fmt::format("{} is {} times as fast as {} [{}, {}]   {}", faster, times(ratio), other, times(low), times(high),
                     rounds);
}

/// Everything that cannot be in a table.
std::string failures_text(const Comparison& comparison, const std::string& again, bool color) {
  std::string text;
  for (const ComparedKernel& kernel : comparison.kernels) {
    if (kernel.trial.status == TrialStatus::passed) continue;
    CheckRow row;
    row.problem = comparison.problem;
    row.trial = kernel.trial;
    row.report = kernel.report;
    row.command = kernel.command;
    text += failure_report(row, again, color);
  }
  return text;
}

}  // namespace

std::string speed_sentences(const Comparison& comparison) {
  std::string text;
  for (std::size_t i = 1; i < comparison.kernels.size(); ++i) {
    const ComparedKernel& kernel = comparison.kernels[i];
    if (kernel.same_program) {
      text += fmt::format("A and {} are the same program: source, configuration and launches are equal\n", letter(i));
    } else if (kernel.same_source) {
      text += fmt::format("A and {} have the same source\n", letter(i));
    }
    if (kernel.speed) text += speed_sentence(comparison, i) + "\n";
  }
  return text;
}

std::string compare_screen(const Comparison& comparison, const std::string& again, int width, bool color) {
  std::string text = fmt::format("{}   {}  {}\n", comparison.problem.title(), comparison.device, comparison.toolchain);
  text += text_table(kernel_table(comparison), color, 0, width);
  if (const std::string shared = shared_configuration(comparison); !shared.empty() && comparison.kernels.size() > 1)
    text += folded("all: " + shared, width);
  if (const Table differences = difference_table(comparison); !differences.rows.empty())
    text += "\n" + text_table(differences, color, 0, width);
  if (const std::string sentences = speed_sentences(comparison); !sentences.empty()) text += "\n" + sentences;
  if (comparison.clock == ClockKind::modelled)
    text += fmt::format("times are {}\n",
                        modelled_remark(comparison.problem.family, std::string(name(comparison.problem.dtype))));
  const std::string failures = failures_text(comparison, again, color);
  return failures.empty() ? text : text + "\n" + failures;
}

std::string compare_markdown(const Comparison& comparison) {
  std::string text = markdown_table(kernel_table(comparison));
  if (const Table differences = difference_table(comparison); !differences.rows.empty())
    text += "\n" + markdown_table(differences);
  const std::string shared = shared_configuration(comparison);
  if (!shared.empty()) text += fmt::format("\nall: {}\n", shared);
  std::istringstream sentences(speed_sentences(comparison));
  for (std::string line; std::getline(sentences, line);) text += "\n" + line + "\n";
  return text;
}

Table exact_comparison(const Comparison& comparison) {
  Table table{{{"kernel"},
               {"variant"},
               {"configuration"},
               {"chosen"},
               {"problem"},
               {"device"},
               {"status"},
               {"us"},
               {"low_us"},
               {"high_us"},
               {"clock"},
               {"rounds"},
               {"times as fast"},
               {"low"},
               {"high"},
               {"source"},
               {"trial"}},
              {}};
  const std::vector<std::string> figures = figure_names(comparison);
  for (const std::string& figure : figures) table.columns.push_back({figure});
  for (const ComparedKernel& kernel : comparison.kernels) {
    const auto& m = kernel.measurement;
    const auto number = [](bool known, double value) { return known ? fmt::format("{}", value) : std::string(); };
    const PairedRatio speed = kernel.speed.value_or(PairedRatio{});
    std::vector<std::string> cells{kernel.name,
                                   variant_text(kernel.trial),
                                   kernel.trial.configuration,
                                   kernel.how,
                                   comparison.problem.key(),
                                   comparison.device,
                                   std::string(name(kernel.trial.status)),
                                   number(m.has_value(), m ? m->median_us : 0),
                                   number(m.has_value(), m ? m->low_us : 0),
                                   number(m.has_value(), m ? m->high_us : 0),
                                   std::string(m ? name(m->clock) : ""),
                                   m ? fmt::format("{}", m->samples_us.size()) : "",
                                   number(kernel.speed.has_value(), speed.ratio),
                                   number(kernel.speed.has_value(), speed.interval.low),
                                   number(kernel.speed.has_value(), speed.interval.high),
                                   kernel.trial.source_hash,
                                   fmt::format("{}", kernel.trial.id)};
    for (const std::string& figure : figures) {
      const auto value = value_of(kernel, figure);
      cells.push_back(number(value.has_value(), value.value_or(0)));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

JsonValue::Object compare_value(const Comparison& comparison) {
  JsonValue::Array kernels;
  for (const ComparedKernel& kernel : comparison.kernels) {
    JsonValue::Object figures;
    for (const Figure& figure : kernel.figures) figures.emplace_back(figure.name, figure.value);
    JsonValue::Object value{{"name", kernel.name},
                            {"chosen", kernel.how},
                            {"trial", to_value(kernel.trial)},
                            {"measurement", kernel.measurement ? to_value(*kernel.measurement) : JsonValue()},
                            {"executed", kernel.scope},
                            {"warning", kernel.warning},
                            {"figures", std::move(figures)},
                            {"same_source", kernel.same_source},
                            {"same_program", kernel.same_program}};
    value.emplace_back("speed", kernel.speed ? JsonValue(JsonValue::Object{{"ratio", kernel.speed->ratio},
                                                                           {"low", kernel.speed->interval.low},
                                                                           {"high", kernel.speed->interval.high}})
                                             : JsonValue());
    value.emplace_back("reproduce", kernel.command);
    kernels.push_back(std::move(value));
  }
  return {{"device", comparison.device},
          {"toolchain", comparison.toolchain},
          {"problem", comparison.problem.key()},
          {"clock", comparison.clock ? name(*comparison.clock) : ""},
          {"flops", comparison.flops},
          {"bytes", comparison.bytes},
          {"cost_from_data", comparison.cost_from_data},
          {"roof_us", comparison.roof_us},
          {"memory_bound", comparison.memory_bound},
          {"kernels", std::move(kernels)},
          {"notes", comparison.notes}};
}

}  // namespace kerlab::cli
