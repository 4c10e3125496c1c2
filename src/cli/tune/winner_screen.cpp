#include "cli/tune/winner_screen.h"

#include "base/format.h"
#include "base/terminal.h"
#include "cli/frame/library_cells.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

/// "1.7 times as fast as", "6.3 % faster than", "0.4 % slower than".
std::string speed_against(double theirs_us, double ours_us, const std::string& whom) {
  const double ratio = theirs_us / ours_us;
  if (ratio >= 1.25) return fmt::format("{:.{}f} times as fast as {}", ratio, ratio < 9.95 ? 1 : 0, whom);
  if (std::abs(ratio - 1) < 0.0005) return "as fast as " + whom;
  // What one says of times, whose difference the table shows: 311 us to 291 us are 6.3 % less.
  const double change = 100 * (ours_us / theirs_us - 1);
  return fmt::format("{:.1f} % {} than {}", std::abs(change), change < 0 ? "less time" : "more time", whom);
}

std::string against_previous(const TuneResult& result) {
  if (!result.previous || result.outside) return "";
  const RankedTrial& winner = result.rows.front();
  if (result.previous->trial == winner.trial.id) return "it was the winner before";
  const std::string whom = fmt::format("the previous winner ({} us)", format_us(result.previous->median_us));
  // Side by side where both were in the finals: stored times are of another hour.
  for (const RankedTrial& row : result.rows)
    if (row.trial.id == result.previous->trial && row.beside) return speed_against(row.beside->ratio.ratio, 1, whom);
  return speed_against(result.previous->median_us, winner.measurement.median_us, whom);
}

std::string against_library(const TuneResult& result) {
  for (const LibraryRow& row : result.library)
    if (row.ratio)
      return fmt::format("{:.2f} [{:.2f},{:.2f}] times the speed of {}", row.ratio->ratio, row.ratio->interval.low,
                         row.ratio->interval.high, library_short(row.label));
  return "";
}

std::string against_first_rung(const TuneResult& result) {
  const RankedTrial& winner = result.rows.front();
  if (!result.first_rung || result.first_rung->trial.variant == winner.trial.variant) return "";
  return speed_against(result.first_rung->measurement.median_us, winner.measurement.median_us,
                       result.first_rung->trial.variant);
}

/// "a tie with #2 and #3, decided by fewer registers", "#2 takes 1.4 % [1.0,1.9] more time".
std::string how_sure(const TuneResult& result) {
  const DecisionRule decided = result.rule.value_or(DecisionRule{});
  std::vector<std::string> tied;
  for (std::size_t i = 1; i < result.rows.size(); ++i)
    if (result.rows[i].tie) tied.push_back(fmt::format("#{}", i + 1));
  if (!tied.empty()) {
    return fmt::format("a tie with {} (within 1 %), decided by: {}", fmt::join(tied, ", "), tie_break_text(decided));
  }
  const bool plain = decided == DecisionRule{};
  const std::string condition = plain ? "" : " (" + rule_text(decided) + ")";
  if (result.rows.size() < 2) return plain ? "" : rule_text(decided);
  const RankedTrial& second = result.rows[1];
  if (second.measurement.clock == ClockKind::modelled)
    return fmt::format("#2 takes {:.1f} % more time{}",
                       100 * (second.measurement.median_us / result.rows.front().measurement.median_us - 1), condition);
  if (!second.beside) return rule_text(decided);
  const PairedRatio& ratio = second.beside->ratio;
  return fmt::format("#2 takes {:.1f} % [{:.1f},{:.1f}] more time{}", 100 * (ratio.ratio - 1),
                     100 * (ratio.interval.low - 1), 100 * (ratio.interval.high - 1), condition);
}

/// Of a decision that stands: times of the same winner may have been taken after those of the others.
std::string of_when(const TuneResult& result) {
  if (result.measured_now) return "";
  const bool several = result.rows.size() > 1 && result.device.has_clock;
  return several ? "stored, its time taken after those of the others (measure again: --fresh)"
                 : "stored (measure again: --fresh)";
}

/// "203.4 us modelled, 675.8 TFLOP/s, 68 % of roofline"
std::string speed_of(const TuneResult& result) {
  const Measurement& best = result.rows.front().measurement;
  const bool modelled = best.clock == ClockKind::modelled;
  std::string text = modelled ? format_us(best.median_us) + " us modelled"
                              : median_with_interval(best.median_us, best.low_us, best.high_us) + " us";
  const double per_s = 1e6 / best.median_us;
  text += ", " + rate_with_unit(result.problem.flops * per_s, result.problem.bytes * per_s, result.roof.memory_bound);
  if (result.roof.minimum_us > 0)
    text += fmt::format(", {} of roofline", format_share(result.roof.minimum_us / best.median_us));
  if (result.cost_from_data) text += " (work counted from the data)";
  return text;
}

}  // namespace

std::string winner_text(const TuneResult& result, bool color, int width) {
  if (result.rows.empty()) return "";
  const Trial& winner = result.rows.front().trial;
  std::vector<std::string> said{speed_of(result)};
  for (std::string part : {against_previous(result), against_library(result), against_first_rung(result),
                           how_sure(result), of_when(result)})
    if (!part.empty()) said.push_back(std::move(part));
  if (!result.untimed.empty()) said.push_back(result.untimed);
  if (!result.verified.empty()) said.push_back("verified on " + result.verified);
  const char* title = result.outside ? "best of those asked for:" : "winner:";
  return folded(fmt::format("{} {}", styled(title, Style::bold, color), label_text(winner)), width, 8) +
         folded(fmt::format("  {}", fmt::join(said, "; ")), width, 4);
}

}  // namespace kerlab::cli
