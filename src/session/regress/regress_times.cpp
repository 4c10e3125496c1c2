// The part of `kerlab regress run` that is about time: what is right is timed beside its baseline, all at once at the
// end.

#include <algorithm>

#include "session/regress/regress_fingerprint.h"
#include "session/regress/regress_timed.h"
#include "session/regress/time_gate.h"

namespace kerlab::session {

namespace {

/// Two medians of different days on the same board differ by this without any cause.
constexpr double kStoredMargin = 0.05;

RegressVerdict verdict_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::regressed:
      return RegressVerdict::regressed;
    case GateVerdict::improved:
      return RegressVerdict::improved;
    case GateVerdict::passed:
      return RegressVerdict::passed;
    case GateVerdict::inconclusive:
      break;
  }
  return RegressVerdict::inconclusive;
}

TimeRatio to_ratio(const GateOutcome& outcome) {
  TimeRatio time;
  time.ratio = outcome.ratio;
  time.low = outcome.low;
  time.high = outcome.high;
  time.mde = outcome.mde;
  time.sure = outcome.sure;
  time.base_us = outcome.base_us;
  time.today_us = outcome.today_us;
  time.toolchain_ratio = outcome.toolchain_ratio;
  time.processes = outcome.processes;
  return time;
}

std::string slower_text(const GateOutcome& outcome) {
  return fmt::format("{:+.2f} % of time [{:+.2f}, {:+.2f}], {:.4g} -> {:.4g} us", 100 * (outcome.ratio - 1),
                     100 * (outcome.low - 1), 100 * (outcome.high - 1), outcome.base_us, outcome.today_us);
}

}  // namespace

void RegressSession::keep_for_timing(const Baseline& baseline, const Evaluation& checked, RegressRow& row) {
  if (row.verdict == RegressVerdict::wrong) return;
  TrialCandidate old = stored_candidate(baseline, *rig_);
  CompileResult compiled = rig_->compilers().compile({folder_.source(baseline), old.options});
  if (compiled.status != CompileStatus::ok)
    throw NotComparable(
        fmt::format("the baseline's own source does not compile with {}: {}", rig_->toolchain(), compiled.message));
  Timed timed;
  timed.row = rows_.size();
  timed.baseline = next_ - 1;
  timed.flops = setup_->plan.flops;
  timed.pair.label = baseline.key;
  timed.pair.setup = *setup_;
  timed.pair.data = data_;
  timed.pair.deadline = generous_deadline(*rig_, *setup_, 100);
  timed.pair.stored = old;
  timed.pair.stored.label += " as recorded";
  if (baseline.time) timed.pair.expected_us = baseline.time->median_us;
  if (baseline.time)
    timed.pair.stored.image = find_image(baseline.time->cubin, database_, options_.artifacts).value_or(Bytes{});
  timed.pair.base = std::move(old);
  timed.pair.base.image = loadable_image(compiled, rig_->device());
  timed.pair.today = checked.candidate;
  row.changes = compare_figures(baseline.figures, figures_of(checked, rig_->device()), options_.margins);
  timed_.push_back(std::move(timed));
}

void RegressSession::begin_gate() {
  if (timed_.empty() || !rig_) return;
  std::vector<TimedPair> pairs;
  for (Timed& timed : timed_) pairs.push_back(std::move(timed.pair));
  GateOptions gate = options_.gate;
  if (const FigureRule& rule = options_.margins.rules().at("time"); rule.gated) gate.rule.margin = rule.margin;
  gate_.emplace(*rig_, std::move(pairs), gate);
}

void RegressSession::take_times(const GateRun& run) {
  head_.notes.push_back(run.control_passed
                            ? run.control
                            : fmt::format("this device cannot tell kernels from themselves now: {}", run.control));
  for (std::size_t i = 0; i < timed_.size() && i < run.outcomes.size(); ++i) {
    RegressRow& row = rows_[timed_[i].row];
    const GateOutcome& outcome = run.outcomes[i];
    const Baseline& baseline = baselines_[timed_[i].baseline];
    row.verdict = options_.margins.rules().at("time").gated ? verdict_of(outcome.verdict) : RegressVerdict::passed;
    if (outcome.ratio > 0) row.time = to_ratio(outcome);
    const bool told = row.verdict == RegressVerdict::regressed || row.verdict == RegressVerdict::improved;
    row.why = told ? slower_text(outcome) : outcome.why;
    if (!outcome.wrong.empty()) {
      row.verdict = RegressVerdict::wrong;
      row.why = outcome.wrong;
    }
    if (told && !outcome.why.empty()) row.notes.push_back(outcome.why);
    if (!outcome.conditions.empty()) row.notes.push_back(outcome.conditions);
    if (row.time) judge_absolute(baseline, timed_[i].flops, row);
    if (row.verdict == RegressVerdict::regressed) explain_timed(baseline, row);
  }
}

/// What a new compiler made of the old source, and floors on the time itself: only where nothing else has changed.
void RegressSession::judge_absolute(const Baseline& baseline, double flops, RegressRow& row) {
  const TimeRatio& time = *row.time;
  const double margin = options_.margins.rules().at("time").margin;
  if (time.toolchain_ratio && *time.toolchain_ratio > 1 + std::max(margin, kStoredMargin / 2)) {
    const std::string text = fmt::format("{} makes the old source {:.1f} % slower than the image that was recorded",
                                         rig_->toolchain(), 100 * (*time.toolchain_ratio - 1));
    if (options_.strict_toolchain && row.verdict != RegressVerdict::regressed) {
      row.verdict = RegressVerdict::regressed;
      row.why = text;
    } else {
      row.notes.push_back(text);
    }
  }
  if (!baseline.time || (baseline.min_tflops <= 0 && !options_.against_stored)) return;
  const BaselineTime& then = *baseline.time;
  const bool same = then.device_uuid == rig_->device().uuid &&
                    then.fingerprint == time_fingerprint(baseline, rig_->device(), rig_->toolchain(), then.protocol,
                                                         then.cache, then.recipe);
  if (!same) {
    row.notes.emplace_back("another board, driver or toolchain than it was recorded with: no absolute floor holds");
    return;
  }
  const double tflops = flops / time.today_us / 1e6;
  std::string text;
  if (baseline.min_tflops > 0 && tflops < baseline.min_tflops)
    text = fmt::format("{:.4g} TFLOP/s, below the floor of {:.4g}", tflops, baseline.min_tflops);
  else if (options_.against_stored && time.today_us > then.high_us * (1 + kStoredMargin))
    text = fmt::format("{:.4g} us, where {:.4g} us were recorded", time.today_us, then.median_us);
  if (text.empty()) return;
  row.why = row.verdict == RegressVerdict::regressed ? row.why + "; " + text : text;
  row.verdict = RegressVerdict::regressed;
}

/// The rig may be another family's by now.
void RegressSession::explain_timed(const Baseline& baseline, RegressRow& row) {
  try {
    open_family(baseline);
    explain(baseline, todays_kernel(baseline, *rig_), row);
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    row.notes.push_back(fmt::format("not explained further: {}", error.what()));
  }
}

}  // namespace kerlab::session
