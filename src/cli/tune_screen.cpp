#include "cli/tune_screen.h"

#include <algorithm>

#include "base/format.h"
#include "base/terminal.h"
#include "cli/effort_screen.h"
#include "cli/failure_screen.h"
#include "cli/ladder_screen.h"
#include "cli/library_cells.h"
#include "cli/shipped_screen.h"
#include "cli/why_screen.h"
#include "report/modelled_remark.h"
#include "report/tune_table.h"

namespace kerlab {

namespace {

constexpr std::size_t kMostFailureLines = 12;

bool is_emulated(const TuneResult& result) {
  return result.device.kind == DeviceKind::emulated;
}

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
  row.flops_per_s = result.problem.flops / (row.median_us * 1e-6);
  row.roof_fraction = roof_us(result) / row.median_us;
  if (result.device.threads_per_sm > 0) {
    row.occupancy =
        static_cast<double>(ranked.trial.blocks_per_sm * ranked.trial.threads) / result.device.threads_per_sm;
  }
  row.modelled = measurement.clock == "modelled";
  row.trial = ranked.trial;
  return row;
}

std::vector<TuneRow> rows_of(const TuneResult& result) {
  std::vector<TuneRow> rows;
  for (std::size_t i = 0; i < result.rows.size(); ++i) rows.push_back(to_row(result, i));
  return rows;
}

std::string headline(const TuneResult& result) {
  const DeviceInfo& device = result.device;
  std::string text = fmt::format("{}   {} {} {} SM", result.title, device.id, result.device_title, device.sms);
  if (!device.driver.empty()) text += fmt::format("  driver {}", device.driver);
  text += fmt::format("  {}", result.toolchain);
  if (!result.rows.empty()) {
    const Measurement& best = result.rows.front().measurement;
    if (is_emulated(result)) {
      const Trial& trial = result.rows.front().trial;
      return text + "\ntimes are " + modelled_remark(trial.family, trial.dtype);
    }
    text += fmt::format("  {} L2, {}", best.cache, best.recipe);
    double least = best.sm_clock_mhz, most = least;
    for (const RankedTrial& row : result.rows) {
      least = std::min(least, row.measurement.sm_clock_mhz);
      most = std::max(most, row.measurement.sm_clock_mhz);
    }
    if (most > 0) text += fmt::format(", clock {:.0f}-{:.0f} MHz", least, most);
    if (best.clock != "measured") text += fmt::format(", {} times", best.clock);
  }
  return text;
}

/// "decided by: fastest", and the time of the winner that is stored.
std::string decision_lines(const TuneResult& result) {
  std::string text = "decided by: " + result.rule;
  const bool several = result.rows.size() > 1;
  if (!result.measured_now)
    text += several && !is_emulated(result)
                ? " (stored: the winner's time was taken after those of the others; measure again: --fresh)"
                : " (stored; measure again: --fresh)";
  text += "\n";
  if (is_emulated(result) || !several || !result.rows.front().beside) return text;
  const Measurement& best = result.rows.front().measurement;
  return text + fmt::format("the winner, measured anew: {} us, {} TFLOP/s, {:.0f} % of the roof\n",
                            median_with_interval(best.median_us, best.low_us, best.high_us),
                            tera_text(result.problem.flops / (best.median_us * 1e-6)),
                            100 * roof_us(result) / best.median_us);
}

std::string counts_line(const TuneResult& result) {
  std::string text = fmt::format("space {} -> {} valid", result.space, result.valid);
  if (result.sampled > 0) text += fmt::format(" -> {} drawn from them", result.sampled);
  text += fmt::format(" -> {} tried", result.counts.done - result.counts.hopeless);
  if (result.left_for_all > 0) text += fmt::format(" of the quick part ({} more: --all)", result.left_for_all);
  if (result.counts.stored > 0) text += fmt::format(" ({} stored before)", result.counts.stored);
  if (result.counts.hopeless > 0)
    text += fmt::format("; {} not compiled: too few blocks for {} SMs to come near the best (--bound)",
                        result.counts.hopeless, result.device.sms);
  std::string failed;
  for (const auto& [status, count] : result.failed)
    failed += fmt::format("{}{} {}", failed.empty() ? "" : ", ", count, name(status));
  return failed.empty() ? text : text + "; failed: " + failed;
}

/// "surrogate search ended: no better one in 150 trials; the roof allows 1.31 times the speed of the winner"
std::string end_of_search(const TuneResult& result) {
  std::string text = fmt::format("{} search", result.search.strategy);
  if (!result.ended.empty()) text += " ended: " + result.ended;
  if (!result.rows.empty() && roof_us(result) > 0)
    text += fmt::format("; the roof allows {:.2f} times the speed of the winner",
                        result.rows.front().measurement.median_us / roof_us(result));
  return text;
}

std::string hints(const TuneResult& result) {
  std::vector<std::string> parts;
  if (!result.range_edges.empty())
    parts.push_back(fmt::format("at range edge: {}", fmt::join(result.range_edges, ", ")));
  std::string matters;
  for (const Importance& importance : result.importance) {
    if (importance.share < 0.01) continue;
    matters += fmt::format("{}{} {:.0f} %", matters.empty() ? "" : ", ", importance.parameter, 100 * importance.share);
  }
  if (!matters.empty()) parts.push_back("matters: " + matters);
  if (result.previous && !result.rows.empty()) {
    const double now = result.rows.front().measurement.median_us;
    parts.push_back(fmt::format("previous winner {} us ({:+.1f} %)", format_us(result.previous->median_us),
                                100 * (now / result.previous->median_us - 1)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "cuBLASLt 13.0.2, best of 8 algorithms: 2691 [2690,2692] us, 51.1 TFLOP/s; the winner does 0.97 [.97,.98] of it"
std::string library_lines(const TuneResult& result) {
  std::string text;
  for (const LibraryRow& row : result.library) {
    text += fmt::format("  {}: {} us, {:.1f} TFLOP/s", row.label,
                        median_with_interval(row.summary.median, row.summary.low, row.summary.high),
                        result.problem.flops / row.summary.median * 1e-6);
    if (row.ratio) text += fmt::format("; the winner is {} times as fast", ratio_text(row.ratio));
    text += "\n";
  }
  if (!result.library_note.empty()) text += fmt::format("  library: {}\n", result.library_note);
  return text;
}

std::string left_out_lines(const TuneResult& result) {
  std::string text;
  for (const auto& [variant, reason] : result.left_out) text += fmt::format("  left out: {}: {}\n", variant, reason);
  return text;
}

}  // namespace

std::string tune_line(const TuneState& state) {
  const ScreeningCounts& counts = state.counts;
  const double share =
      counts.planned == 0 ? 1.0 : static_cast<double>(counts.done) / static_cast<double>(counts.planned);
  const int filled = static_cast<int>(20 * std::min(1.0, share));
  std::string line =
      fmt::format("[{}{}] {} {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                  std::string(static_cast<std::size_t>(20 - filled), '.'), state.phase, counts.done, counts.planned);
  const std::size_t failed = counts.done - counts.passed - counts.hopeless;
  if (failed > 0) line += fmt::format(" ({} failed)", failed);
  if (state.best_us > 0) line += fmt::format("  best {} us {}", format_us(state.best_us), state.best_label);
  if (!state.waiting.empty()) return line + "  waiting for " + state.waiting;
  if (state.remaining_s >= 0 && (state.phase == "screening" || state.phase == "finals"))
    line += fmt::format("  {} left", format_seconds(state.remaining_s));
  return line;
}

/// Which one it is, when somebody failed on it: a kernel that needs multiples may not have said so.
std::string small_problem_line(const TuneResult& result) {
  const bool failed_there = std::any_of(result.failures.begin(), result.failures.end(),
                                        [](const FailureGroup& group) { return on_small_problem(group); });
  if (!failed_there) return "";
  return fmt::format(
      "  the small problem, checked first, is {}; what a kernel cannot run, a constraint in its TOML says\n",
      result.small_problem);
}

std::string tune_screen(const TuneResult& result, bool color, const ToRepeat& again) {
  std::string text = headline(result) + "\n" + counts_line(result) + "\n" +
                     failure_lines(result.failures, color, kMostFailureLines) + small_problem_line(result);
  if (result.ladder.empty()) text += left_out_lines(result);
  if (result.rows.empty()) {
    text += styled("no winner", Style::bad, color) + "\n";
  } else {
    text += tune_text(rows_of(result), color, table_width(0));
    text += decision_lines(result);
    text += where_measured(result);
    if (const std::string variants = variants_text(result.variants); !variants.empty()) text += variants + "\n";
    text += library_lines(result);
    if (const std::string limit = limit_text(result); !limit.empty()) text += limit + "\n";
    if (!result.verified.empty()) text += fmt::format("the winner was verified on {}\n", result.verified);
    if (!result.kept.empty()) text += styled(result.kept, Style::warning, color) + "\n";
  }
  if (result.shipped) text += shipped_line(*result.shipped, result.shipped_note);
  text += ladder_text(result, color, table_width(0));
  if (const std::string hint = hints(result); !hint.empty()) text += hint + "\n";
  for (const std::string& warning : result.warnings)
    text += styled("warning: ", Style::warning, color) + warning + "\n";
  text += end_of_search(result) + "\n" + effort_text(result) + "\n";
  if (!result.rows.empty()) {
    const std::int64_t id = result.rows.front().trial.id;
    const std::string bench = fmt::format("kerlab bench{}{} --trial {}", again.folder, again.options, id);
    text += fmt::format("reproduce: {}   SASS/PTX: kerlab show {} --save DIR{}", bench, id, again.options);
    if (!is_emulated(result)) text += fmt::format("   profile: ncu --target-processes all {} --once", bench);
    text += "\n";
  }
  return text;
}

Table tune_result_table(const TuneResult& result, bool exact) {
  if (result.ladder.empty()) return tune_table(rows_of(result));
  return exact ? ladder_csv_table(ladder_rows(result)) : ladder_table(ladder_rows(result));
}

std::string tune_plan_text(const TunePlan& plan, bool color) {
  std::string text = fmt::format("{}   {}\n{} FLOP, {}B at least; not faster than {} us\n", plan.title, plan.device,
                                 format_si(plan.flops), format_bytes(static_cast<std::int64_t>(plan.bytes)),
                                 format_us(plan.minimum_us));
  for (const auto& variant : plan.variants) {
    text += fmt::format("{}: {} configurations\n", styled(variant.name, Style::bold, color), variant.raw);
    for (const auto& cut : variant.cuts) text += fmt::format("  {:<24} -> {}\n", cut.constraint, cut.remaining);
    for (const auto& cut : variant.quick_cuts)
      text += fmt::format("  {:<24} -> {}\n", "quick: " + cut.constraint, cut.remaining);
    text += fmt::format("  {:<24} -> {}\n", "valid", variant.valid);
  }
  for (const auto& [variant, reason] : plan.left_out) text += fmt::format("left out: {}: {}\n", variant, reason);
  const std::string expected =
      plan.search.forecasts() ? fmt::format(", about {:.0f} expected to be enough", plan.expected) : "";
  const std::string time = plan.estimate_s < 0 ? "time unknown: nothing comparable was tuned here yet"
                                               : "about " + format_seconds(plan.estimate_s);
  return text + fmt::format("{} to try ({}){}, {} stored; {}\n", plan.to_try, plan.search.strategy, expected,
                            plan.stored, time);
}

}  // namespace kerlab
