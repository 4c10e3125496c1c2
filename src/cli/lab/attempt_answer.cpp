#include "cli/lab/attempt_answer.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/terminal.h"
#include "cli/lab/watch_line.h"
#include "report/form/clock_words.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

constexpr std::size_t kMessageLines = 12;  // of a compiler or a worker: the answer fits a screen

/// At most `most` lines.
std::string first_lines(const std::string& text, std::size_t most) {
  std::size_t end = 0, lines = 0;
  while (end < text.size() && lines < most) {
    const std::size_t next = text.find('\n', end);
    end = next == std::string::npos ? text.size() : next + 1;
    ++lines;
  }
  std::string shown = text.substr(0, end);
  while (!shown.empty() && shown.back() == '\n') shown.pop_back();
  return end < text.size() ? shown + "\n  ..." : shown;
}

std::string verdict_line(const Attempt& attempt, bool color) {
  double worst = 0;
  std::size_t recipes = 0;
  for (const RecipeReport& recipe : attempt.report.recipes) {
    worst = std::max(worst, recipe.error_ratio);
    recipes += recipe.in_small ? 0 : 1;
  }
  const std::string exact = worst == 0 ? "no error" : fmt::format("error at most {:.2g} of its bound", worst);
  return fmt::format("{}: {}, {}", styled("correct", Style::good, color), exact,
                     format_count(static_cast<std::int64_t>(recipes), "recipe"));
}

std::string time_line(const Attempt& attempt, bool color) {
  const Measurement& m = *attempt.measurement;
  const bool modelled = m.clock == ClockKind::modelled;
  std::string text = modelled
                         ? format_us(m.median_us) + " us modelled"
                         : median_with_interval(m.median_us, m.low_us, m.high_us) + " us" + unless_measured(m.clock);
  text = styled(text, Style::bold, color);
  if (attempt.flops > attempt.bytes)
    text += fmt::format("  {} TFLOP/s", tera_text(attempt.flops / m.median_us * 1e6));
  else
    text += fmt::format("  {:.4g} GB/s", attempt.bytes / m.median_us * 1e-3);
  if (attempt.roof_us > 0) text += fmt::format("  {:.1f} % of roofline", 100 * attempt.roof_us / m.median_us);
  for (std::size_t i = 0; i < attempt.beside.size(); ++i) {
    Beside beside = attempt.beside[i];
    const bool same = i + 1 < attempt.beside.size() && attempt.beside[i + 1].number == beside.number;
    if (same) beside.what += " and " + attempt.beside[++i].what;
    text += fmt::format("  {} vs {} (#{})", change_text(beside), beside.what, beside.number);
  }
  return text + "\n";
}

std::string resources_line(const Attempt& attempt) {
  const Trial& trial = attempt.trial;
  std::string text = fmt::format("registers {}  spilled {}  shared {}", trial.registers,
                                 format_bytes(trial.spill_bytes), format_bytes(trial.shared_bytes));
  if (attempt.occupancy) text += fmt::format("  occupancy {:.0f} %", 100 * *attempt.occupancy);
  if (attempt.conflicts) text += fmt::format("  bank conflicts {}", *attempt.conflicts);
  return text + "\n";
}

}  // namespace

std::string attempt_outcome(const Attempt& attempt) {
  if (!attempt.first_error.empty()) return "does not compile: " + shortened(attempt.first_error, 100);
  if (attempt.trial.status != TrialStatus::passed)
    return fmt::format("{}: {}", name(attempt.trial.status), shortened(first_lines(attempt.trial.message, 1), 100));
  if (!attempt.measurement) return "correct";
  return fmt::format("#{} {} us{}, correct", attempt.number, format_us(attempt.measurement->median_us),
                     unless_measured(attempt.measurement->clock));
}

std::string attempt_answer(const Attempt& attempt, bool color, int width) {
  std::string text = fmt::format("{} {}\n", styled(fmt::format("#{}", attempt.number), Style::bold, color),
                                 shortened(attempt.label, width - 6));
  const Trial& trial = attempt.trial;
  if (!attempt.first_error.empty()) {
    text += fmt::format("{}: {}\n", styled("does not compile", Style::bad, color),
                        first_lines(attempt.first_error, kMessageLines));
  } else if (trial.status != TrialStatus::passed) {
    text += fmt::format("{}: {}\n", styled(std::string(name(trial.status)), Style::bad, color),
                        first_lines(trial.message, kMessageLines));
    if (trial.status == TrialStatus::wrong)
      text += "check says more: all recipes, a picture, what the wrong elements hold\n";
  } else {
    text += verdict_line(attempt, color) + "\n";
  }
  if (attempt.measurement) text += time_line(attempt, color);
  if (trial.registers > 0) text += resources_line(attempt);
  if (!attempt.warning.empty()) text += styled(attempt.warning, Style::warning, color) + "\n";
  std::string seconds = fmt::format("{:.2f} s: ", attempt.seconds);
  if (attempt.open_s + attempt.prepare_s >= 0.1)
    seconds += fmt::format("device, data and reference {:.2f}, ", attempt.open_s + attempt.prepare_s);
  seconds += fmt::format("compile {:.2f}, check {:.2f}, time {:.2f}   trial {}", attempt.compile_s, attempt.check_s,
                         attempt.time_s, trial.id);
  if (attempt.save > 0) seconds += fmt::format("  save {}", attempt.save);
  text += styled(seconds, Style::dim, color) + "\n";
  return text;
}

}  // namespace kerlab::cli
