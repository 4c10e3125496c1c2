#include "cli/tune/tune_screen.h"

#include <algorithm>

#include "base/format.h"
#include "base/terminal.h"
#include "cli/frame/beside_screen.h"
#include "cli/frame/effort_screen.h"
#include "cli/frame/failure_screen.h"
#include "cli/frame/library_cells.h"
#include "cli/frame/shipped_screen.h"
#include "cli/frame/why_screen.h"
#include "cli/tune/ladder_screen.h"
#include "cli/tune/tune_sentences.h"
#include "cli/tune/winner_screen.h"
#include "report/text/modelled_remark.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

namespace {

constexpr std::size_t kMostFailureLines = 12;

/// The best time that the theoretical ceilings allow, with nothing held back by a cache.
double roof_us(const TuneResult& result) {
  return result.roof.minimum_us;
}

/// Its time of the rounds of the duel. Who had left before has none: its ratio to the winner gives one that can stand
/// beside the others.
void set_side_by_side(const TuneResult& result, const RankedTrial& ranked, TuneRow& row) {
  const auto& first = result.rows.front().beside;
  if (!ranked.beside || !first || result.rows.size() < 2) return;
  row.versus_first = ranked.beside->ratio;
  if (ranked.beside->duel == first->duel) {
    row.median_us = ranked.beside->summary.median;
    row.low_us = ranked.beside->summary.low;
    row.high_us = ranked.beside->summary.high;
    return;
  }
  row.derived = true;
  row.median_us = ranked.beside->ratio.ratio * first->summary.median;
  row.note = fmt::format("left after {} rounds of all", ranked.beside->summary.count);
}

/// What follows from its time and its resources.
void set_rates(const TuneResult& result, TuneRow& row) {
  row.flops_per_s = result.problem.flops / (row.median_us * 1e-6);
  row.bytes_per_s = result.problem.bytes / (row.median_us * 1e-6);
  row.memory_bound = result.roof.memory_bound;
  row.roof_fraction = roof_us(result) / row.median_us;
  row.modelled = result.rows.front().measurement.clock == ClockKind::modelled;
  if (result.device.threads_per_sm > 0)
    row.occupancy = static_cast<double>(row.trial.blocks_per_sm * row.trial.threads) / result.device.threads_per_sm;
}

TuneRow to_row(const TuneResult& result, std::size_t i) {
  const RankedTrial& ranked = result.rows[i];
  const Measurement& measurement = ranked.measurement;
  TuneRow row;
  row.rank = static_cast<int>(i) + 1;
  row.tied = ranked.tie && i > 0;
  row.median_us = measurement.median_us;
  row.low_us = measurement.low_us;
  row.high_us = measurement.high_us;
  set_side_by_side(result, ranked, row);
  row.timed = "finals";
  row.trial = ranked.trial;
  set_rates(result, row);
  return row;
}

/// One that was not in the finals: its time is of few samples, and stands beside nobody's.
TuneRow to_row(const TuneResult& result, const RankedTrial& other, std::size_t rank) {
  TuneRow row;
  row.rank = static_cast<int>(rank);
  row.median_us = other.measurement.median_us;
  row.timed = other.timed == Timed::sweep ? "sweep" : "before";
  row.trial = other.trial;
  set_rates(result, row);
  return row;
}

std::vector<TuneRow> rows_of(const TuneResult& result) {
  std::vector<TuneRow> rows;
  for (std::size_t i = 0; i < result.rows.size(); ++i) rows.push_back(to_row(result, i));
  for (const RankedTrial& other : result.others) rows.push_back(to_row(result, other, rows.size() + 1));
  return rows;
}

/// "cold L2", "cache: A cold, X hot".
std::string cache_text(const TuneResult& result, const Measurement& best) {
  return has_hot_inputs(result.problem) ? "cache: " + temperatures(result.problem)
                                        : fmt::format("{} L2", name(best.cache));
}

std::string headline(const TuneResult& result, int width) {
  const DeviceInfo& device = result.device;
  std::string text = fmt::format("{}   {} {} {} SM", result.title, device.id, result.device_title, device.sms);
  if (!device.driver.empty()) text += fmt::format("  driver {}", device.driver);
  text += fmt::format("  {}", result.toolchain);
  if (!result.rows.empty()) {
    const Measurement& best = result.rows.front().measurement;
    if (!result.device.has_clock) {
      const std::string state = has_hot_inputs(result.problem) ? ", " + cache_text(result, best) : "";
      return folded(text + "  times modelled" + state, width);
    }
    text += fmt::format("  {}, {}", cache_text(result, best), best.recipe);
    double least = best.sm_clock_mhz, most = least;
    for (const RankedTrial& row : result.rows) {
      least = std::min(least, row.measurement.sm_clock_mhz);
      most = std::max(most, row.measurement.sm_clock_mhz);
    }
    if (most > 0) text += fmt::format(", clock {:.0f}-{:.0f} MHz", least, most);
    if (best.clock != ClockKind::measured) text += fmt::format(", {} times", name(best.clock));
  }
  return folded(text, width);
}

/// "29,635,235,400 configurations -> 245 of the quick part (8,805,279 more: --all) -> 12 tried"
std::string counts_line(const TuneResult& result) {
  std::string text = format_count(static_cast<std::int64_t>(result.space), "configuration");
  const std::string valid = grouped(static_cast<std::int64_t>(result.valid));
  text += result.left_for_all > 0 ? fmt::format(" -> {} in the quick part ({} more: --all)", valid,
                                                grouped(static_cast<std::int64_t>(result.left_for_all)))
                                  : fmt::format(" -> {} valid", valid);
  if (result.sampled > 0)
    text += fmt::format(" -> {} drawn from them", grouped(static_cast<std::int64_t>(result.sampled)));
  text += fmt::format(" -> {} tried", grouped(static_cast<std::int64_t>(result.counts.done - result.counts.hopeless)));
  if (result.counts.stored > 0)
    text += fmt::format(" ({} stored before)", grouped(static_cast<std::int64_t>(result.counts.stored)));
  if (result.counts.hopeless > 0)
    text += fmt::format("; {} not compiled: too few blocks for {} SMs to come near the best (--bound)",
                        grouped(static_cast<std::int64_t>(result.counts.hopeless)), result.device.sms);
  std::string failed;
  for (const auto& [status, count] : result.failed)
    failed += fmt::format("{}{} {}", failed.empty() ? "" : ", ", count, name(status));
  return failed.empty() ? text : text + "; failed: " + failed;
}

/// "surrogate search ended after 11.2 s: no better one in 150 trials"
std::string end_of_search(const TuneResult& result) {
  return fmt::format("{}, {} in all", search_sentence(result), format_seconds(result.wall_s));
}

std::string hints(const TuneResult& result) {
  std::vector<std::string> parts;
  if (!result.range_edges.empty())
    parts.push_back(
        fmt::format("best value is at the limit of the listed range: {}", fmt::join(result.range_edges, ", ")));
  std::string matters;
  for (const Importance& importance : result.importance) {
    if (importance.share < 0.01) continue;
    matters += fmt::format("{}{} {:.0f} %", matters.empty() ? "" : ", ", importance.parameter, 100 * importance.share);
  }
  if (!matters.empty()) parts.push_back("matters: " + matters);
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "cuBLASLt 13.0.2, best of 8 algorithms: 2691 [2690,2692] us, 51.1 TFLOP/s; the winner does 0.97 [.97,.98] of it"
std::string library_lines(const TuneResult& result, int width) {
  std::string text;
  for (const LibraryRow& row : result.library) {
    const double per_s = 1e6 / row.summary.median;
    std::string line = fmt::format(
        "  {}: {} us, {}", row.label, median_with_interval(row.summary.median, row.summary.low, row.summary.high),
        rate_with_unit(result.problem.flops * per_s, result.problem.bytes * per_s, result.roof.memory_bound));
    if (row.ratio) line += fmt::format("; the winner is {} times as fast", ratio_text(row.ratio));
    text += folded(line, width, 4);
  }
  if (!result.library_note.empty()) text += folded(fmt::format("  library: {}", result.library_note), width, 4);
  return text;
}

/// Below the ranking, on request: how it was decided, and what it cost.
std::string details(const TuneResult& result, int width) {
  std::string text;
  for (const auto& [variant, reason, brief] : result.left_out)
    text += folded(fmt::format("left out: {}: {}", variant, reason), width);
  if (!result.rows.empty()) {
    if (result.rule) text += folded("decided by: " + rule_text(*result.rule), width);
    const Trial& winner = result.rows.front().trial;
    if (!result.device.has_clock) text += folded("times: " + modelled_remark(winner.family, winner.dtype), width);
  }
  if (const std::string variants = variants_text(result.variants); !variants.empty()) text += folded(variants, width);
  return text + folded(effort_text(result), width);
}

std::string reproduction_text(const TuneResult& result, const ToRepeat& again, int width) {
  const std::int64_t id = result.rows.front().trial.id;
  const std::string bench = fmt::format("kerlab bench{}{} --trial {}", again.folder, again.options, id);
  std::vector<std::string> parts{"reproduce: " + bench,
                                 fmt::format("SASS/PTX: kerlab show {} --save DIR{}", id, again.options)};
  if (result.device.has_clock) parts.push_back(fmt::format("profile: ncu --target-processes all {} --once", bench));
  return whole_parts(parts, width);
}

}  // namespace

std::string tune_line(const TuneState& state) {
  const ScreeningCounts& counts = state.counts;
  const double share =
      counts.planned == 0 ? 1.0 : static_cast<double>(counts.done) / static_cast<double>(counts.planned);
  const int filled = static_cast<int>(20 * std::min(1.0, share));
  std::string line = fmt::format("[{}{}] {} {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                                 std::string(static_cast<std::size_t>(20 - filled), '.'), name(state.phase),
                                 counts.done, counts.planned);
  const std::size_t failed = counts.done - counts.passed - counts.hopeless;
  if (failed > 0) line += fmt::format(" ({} failed)", failed);
  if (state.best_us > 0) line += fmt::format("  best {} us {}", format_us(state.best_us), state.best_label);
  if (!state.waiting.empty()) return line + "  waiting for " + state.waiting;
  if (state.remaining_s && (state.phase == TunePhase::screening || state.phase == TunePhase::finals))
    line += fmt::format("  {} left", format_seconds(*state.remaining_s));
  return line;
}

/// Which one it is, when somebody failed on it: a kernel that needs multiples may not have said so.
std::string small_problem_line(const TuneResult& result) {
  const bool failed_there = std::any_of(result.failures.begin(), result.failures.end(),
                                        [](const FailureGroup& group) { return on_small_problem(group); });
  if (!failed_there) return "";
  return fmt::format(
      "  the small problem, checked first, is {}; what a kernel cannot run, a constraint in its TOML says",
      result.small_problem);
}

std::string tune_screen(const TuneResult& result, bool color, const ToRepeat& again, bool verbose) {
  const int width = table_width(0);
  const auto line = [&](const std::string& text) { return text.empty() ? text : folded(text, width); };
  std::string text = headline(result, width) + line(counts_line(result)) +
                     failure_lines(result.failures, color, kMostFailureLines) + line(small_problem_line(result));
  if (result.ladder.empty()) text += line(left_out_text(result.left_out, verbose ? 0 : width));
  if (!result.rows.empty()) {
    text += tune_text(rows_of(result), color, width);
    text += where_measured(result);
    text += library_lines(result, width);
    text += line(limit_text(result));
  }
  if (result.shipped) text += line(shipped_text(*result.shipped, result.shipped_note));
  text += ladder_text(result, color, width);
  if (!result.beside.empty()) text += beside_text(result.beside, color, width) + "\n";
  text += line(hints(result));
  for (const std::string& warning : result.warnings) text += line(styled("warning: ", Style::warning, color) + warning);
  if (verbose) text += details(result, width);
  text += line(end_of_search(result));
  if (!result.rows.empty())
    text += winner_text(result, color, width) + reproduction_text(result, again, width);
  else if (!result.interrupted)
    text += styled("no winner", Style::bad, color) + "\n";
  for (const std::string& sentence : {outside_sentence(result), interrupted_sentence(result)})
    if (!sentence.empty()) text += line(styled(sentence, Style::warning, color));
  return text;
}

Table tune_result_table(const TuneResult& result, bool exact) {
  if (result.ladder.empty()) return tune_table(rows_of(result));
  return exact ? ladder_csv_table(ladder_rows(result)) : ladder_table(ladder_rows(result));
}

}  // namespace kerlab::cli
