// The part of `kerlab regress run` that is about one kernel: right and as exact as it was, and what it executes.

#include <algorithm>
#include <filesystem>

#include "session/find/source_difference.h"
#include "session/regress/regress_gate.h"
#include "session/regress/regress_why.h"

namespace kerlab::session {

namespace {

/// "2.04x" of what was 0 is no number.
std::string growth(const FigureChange& change) {
  if (change.before == 0) return fmt::format("{} 0 -> {:.6g}", change.name, change.after);
  return fmt::format("{} {:+.3g} %", change.name, 100 * (change.after / change.before - 1));
}

std::string worst_changes(const std::vector<FigureChange>& changes, FigureChange::Judgement judgement) {
  std::vector<std::string> texts;
  std::size_t more = 0;
  for (const FigureChange& change : changes) {
    if (change.judgement != judgement) continue;
    if (texts.size() < 3)
      texts.push_back(growth(change));
    else
      ++more;
  }
  std::string text = fmt::format("{}", fmt::join(texts, ", "));
  if (more > 0) text += fmt::format(", and {} more", more);
  return text;
}

bool any(const std::vector<FigureChange>& changes, FigureChange::Judgement judgement) {
  return std::ranges::find(changes, judgement, &FigureChange::judgement) != changes.end();
}

}  // namespace

void RegressSession::examine_code(const Baseline& baseline, RegressKernel& today, RegressRow& row) {
  const bool same = same_code(baseline, today.candidate) && baseline.toolchain == rig_->toolchain();
  const bool counted = baseline.counted_by == counted_by(rig_->device());
  const bool same_check = options_.changed_only || check_identity(*setup_, *rig_) == baseline.check_identity;
  if (same && counted && same_check && !measures_time(rig_->device()) && !options_.rerun) {
    row.verdict = RegressVerdict::identical;
    row.error_ratio = row.base_error_ratio = baseline.error_ratio;
    figures_[row.key] = baseline.figures;
    return;
  }
  Evaluation result;
  const bool count = !measures_time(rig_->device()) && (!same || !counted || options_.rerun);
  if (!check(baseline, today, count, result, row)) return;
  compare_accuracy(baseline, result, row);
  if (measures_time(rig_->device())) {
    keep_for_timing(baseline, result, row);
    return;
  }
  if (count)
    gate_figures(baseline, result, row);
  else
    row.notes.emplace_back(
        "the same program as it was, so that it counts the same; its check is another one, and passed");
  figures_[row.key] = count ? figures_of(result, rig_->device()) : baseline.figures;
  if (row.verdict == RegressVerdict::regressed || row.verdict == RegressVerdict::improved ||
      row.verdict == RegressVerdict::wrong)
    explain(baseline, today, row);
}

/// Thoroughly: every recipe, both poisons. False: it did not pass, and the row says so.
bool RegressSession::check(const Baseline& baseline, RegressKernel& today, bool count, Evaluation& result,
                           RegressRow& row) {
  open_problem(today.problem, true);
  SingleOptions single;
  single.recipes = all_recipes(setup_->plan);
  single.thorough = true;
  if (count) single.schedule = TimingSchedule{};
  single.deadline = generous_deadline(*rig_, *setup_, 10 * single.recipes.size());
  result = run_single(*rig_, *setup_, today.source, today.configuration, single);
  row.error_ratio = result.candidate.trial.error_ratio;
  if (result.passed()) return true;
  row.verdict = verdict_of(result.candidate.trial.status);
  row.why = ending_text(result.candidate.trial);
  explain(baseline, today, row);
  return false;
}

Evaluation RegressSession::run_stored(const Baseline& baseline, bool with_check, bool by_line) {
  open_problem(make_problem(rig_->folder().family, request_of_key(rig_->folder().family, baseline.problem)), true);
  SingleOptions single;
  if (with_check) {
    single.recipes = all_recipes(setup_->plan);
    single.thorough = true;
  }
  if (!measures_time(rig_->device())) single.schedule = TimingSchedule{};
  single.count_lines = single.line_info = by_line;
  single.full = true;
  single.deadline = generous_deadline(*rig_, *setup_, 10 * (single.recipes.size() + 1));
  return run_candidate(*rig_, *setup_, folder_.source(baseline), Sampling::everything,
                       stored_candidate(baseline, *rig_), single);
}

void RegressSession::compare_accuracy(const Baseline& baseline, const Evaluation& today, RegressRow& row) {
  double before = baseline.error_ratio;
  if (check_identity(*setup_, *rig_) != baseline.check_identity) {
    if (same_code(baseline, today.candidate)) {
      before = row.error_ratio;
    } else if (setup_->small) {  // of the old kernel's program on the small problem nothing is known
      row.notes.emplace_back(
          "it is checked otherwise than when the baseline was recorded: how exact it was then does "
          "not compare");
      return;
    } else {
      before = run_stored(baseline, true, false).candidate.trial.error_ratio;
      row.notes.emplace_back(
          "it is checked otherwise than when the baseline was recorded: the old kernel was checked "
          "again");
    }
  }
  row.base_error_ratio = before;
  if (!less_exact(before, row.error_ratio, options_.margins)) return;
  const std::string text = fmt::format("less exact than it was: err/bound {:.3g} -> {:.3g}", before, row.error_ratio);
  if (same_code(baseline, today.candidate) && !options_.strict_toolchain) {
    row.notes.push_back(fmt::format("{} makes the same source {}", rig_->toolchain(), text));
    return;
  }
  row.verdict = RegressVerdict::wrong;
  row.why = text;
}

void RegressSession::gate_figures(const Baseline& baseline, const Evaluation& today, RegressRow& row) {
  using Judgement = FigureChange::Judgement;
  const std::vector<Figure> now = figures_of(today, rig_->device());
  std::vector<Figure> then = baseline.figures;
  const bool comparable = baseline.toolchain == rig_->toolchain() && baseline.counted_by == counted_by(rig_->device());
  if (!comparable && !options_.strict_toolchain) {
    const bool same = same_code(baseline, today.candidate);
    const Evaluation old = same ? today : run_stored(baseline, false, false);
    if (old.counted.empty()) {
      row.verdict = RegressVerdict::inconclusive;
      row.why = fmt::format("the baseline's own source no longer runs with {}: {}", rig_->toolchain(),
                            ending_text(old.candidate.trial));
      return;
    }
    then = figures_of(old, rig_->device());
    row.toolchain = compare_figures(baseline.figures, then, options_.margins);
    if (any(row.toolchain, Judgement::worse))
      row.notes.push_back(fmt::format("{} instead of {} makes more of the old source: {}", rig_->toolchain(),
                                      baseline.toolchain, worst_changes(row.toolchain, Judgement::worse)));
  }
  row.changes = compare_figures(then, now, options_.margins);
  if (row.verdict == RegressVerdict::wrong) return;
  if (any(row.changes, Judgement::worse)) {
    row.verdict = RegressVerdict::regressed;
    row.why = worst_changes(row.changes, Judgement::worse);
  } else if (any(row.changes, Judgement::better)) {
    row.verdict = RegressVerdict::improved;
    row.why = worst_changes(row.changes, Judgement::better);
  } else {
    row.verdict = RegressVerdict::passed;
  }
}

/// What is different: nothing here may keep the verdict from being told.
void RegressSession::explain(const Baseline& baseline, const RegressKernel& today, RegressRow& row) {
  row.differences = other_differences(baseline, today.candidate.options, today.candidate.plan, rig_->toolchain());
  try {
    const SourceBundle before = folder_.source(baseline);
    const std::string file = std::filesystem::path(today.source.source.path).filename().string();
    row.source_diff = source_difference(before, today.source.source, {file + " (baseline)", file, " (baseline)"});
    const ChangedPlace place = changed_place(before, today.source.source);
    row.file = place.file;
    row.line = place.line;
    if (row.verdict == RegressVerdict::regressed && !measures_time(rig_->device())) explain_lines(baseline, today, row);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    row.notes.push_back(fmt::format("not explained further: {}", error.what()));
  }
}

void RegressSession::explain_lines(const Baseline& baseline, const RegressKernel& today, RegressRow& row) {
  const Evaluation before = run_stored(baseline, false, true);
  SingleOptions single;
  single.schedule = TimingSchedule{};
  single.count_lines = single.line_info = true;
  single.deadline = generous_deadline(*rig_, *setup_, 1);
  const Evaluation after = run_single(*rig_, *setup_, today.source, today.configuration, single);
  row.lines = changed_lines(before.counted, folder_.source(baseline), after.counted, today.source.source);
  ChangedPlace place{row.file, row.line};
  point_at_hottest(row.lines, place);
  row.line = place.line;
}

}  // namespace kerlab::session
