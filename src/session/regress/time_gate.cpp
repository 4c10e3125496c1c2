#include "session/regress/time_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/elapsed.h"
#include "base/interrupt.h"
#include "measure/timer.h"
#include "session/regress/regress_kernel.h"
#include "session/regress/time_gate_seen.h"

namespace kerlab::session {

namespace {

constexpr double kMostEventFloorUs = 1;  // two steps of the events' clock, where it is as coarse as documented
/// One kernel alone would not do: on an H200 a kernel of 32 us bound by memory is told from itself to 1.3 % only by
/// five processes, which is wider than the margin, while the others of the same run were told to 0.3 %.
constexpr std::size_t kControls = 5;
constexpr std::chrono::milliseconds kLook{100};  // for an interrupt

std::vector<double> from_second(const std::vector<double>& samples) {
  return samples.empty() ? samples : std::vector<double>(samples.begin() + 1, samples.end());
}

/// The first pair of a process pays for whatever is touched for the first time.
ProcessPairs pair_up(const SampleSet& base, const SampleSet& today) {
  return {from_second(base.samples_us), from_second(today.samples_us)};
}

ProcessPairs in_cycles(const SampleSet& base, const SampleSet& today) {
  const auto cycles = [](const SampleSet& set) {
    std::vector<double> found;
    for (std::size_t i = 1; i < std::min(set.samples_us.size(), set.sm_clock_mhz.size()); ++i)
      found.push_back(set.samples_us[i] * set.sm_clock_mhz[i]);
    return found;
  };
  return {cycles(base), cycles(today)};
}

std::string failure_of(const TrialCandidate& candidate) {
  return candidate.label + ": " + candidate.trial.message;
}

}  // namespace

TimeGate::TimeGate(Rig& rig, std::vector<TimedPair> pairs, GateOptions options)
    : rig_(rig), pairs_(std::move(pairs)), options_(options), seen_(pairs_.size()) {
  std::vector<std::size_t> all(pairs_.size());
  std::iota(all.begin(), all.end(), 0);
  if (!all.empty()) batch_ = {std::move(all), {}, 0, options_.plan.processes, 0, &Seen::first, ""};
}

TimeGate::~TimeGate() = default;

bool TimeGate::step() {
  if (pause_until_) {
    end_interrupted_wait();
    std::this_thread::sleep_for(std::min<Clock::duration>(kLook, *pause_until_ - Clock::now()));
    if (Clock::now() >= *pause_until_) pause_until_.reset();
  } else if (batch_.next < batch_.order.size()) {
    measure(batch_.order[batch_.next++]);
  } else if (batch_.started < batch_.processes) {
    start_process();
  } else {
    return next_batch();
  }
  return true;
}

std::string TimeGate::doing() const {
  if (pause_until_)
    return fmt::format("{} to be confirmed; waiting {} s", batch_.which.size(),
                       options_.before_confirming.count() / 1000);
  if (batch_.next >= batch_.order.size()) return fmt::format("{}starting a process", batch_.why);
  return fmt::format("{}process {} of {}: {} of {}  {}", batch_.why, batch_.started, batch_.processes, batch_.next + 1,
                     batch_.which.size(), pairs_[batch_.order[batch_.next]].label);
}

void TimeGate::start_process() {
  ++process_;
  ++batch_.started;
  rig_.runner().stop();
  rig_.runner().spawn();
  rig_.runner().greet();
  batch_.order.clear();
  for (const std::size_t i : shuffled_order(batch_.which.size(), options_.seed, process_))
    batch_.order.push_back(batch_.which[i]);
  batch_.next = 0;
}

void TimeGate::measure(std::size_t index) {
  const TimedPair& pair = pairs_[index];
  Seen& seen = seen_[index];
  const Clock::time_point begun = Clock::now();
  if (!seen.failure.empty()) return;
  request::SetProblem data = pair.data;
  data.placement = placement_of(options_.seed, process_);
  rig_.runner().set_problem(std::move(data));
  std::vector<TrialCandidate> candidates = {pair.base, pair.today};
  const std::size_t stored = pair.stored.image.empty() ? 0 : candidates.size();
  if (stored != 0) candidates.push_back(pair.stored);
  const std::size_t control = is_control(index) ? candidates.size() : 0;
  if (control != 0) {
    candidates.push_back(pair.base);
    candidates.back().label += " (control)";
  }
  Protocol protocol;
  protocol.schedule.emplace();
  protocol.schedule->rounds = pairs_for(seen.launch_us(pair.expected_us), options_.plan) + 1;
  protocol.schedule->mirrored = true;
  protocol.schedule->seed = options_.seed + static_cast<std::uint64_t>(process_);
  protocol.deadline = pair.deadline;
  const Evaluations timed = evaluate(rig_, pair.setup, std::move(candidates), std::move(protocol));
  if (!note(seen, timed)) return;
  const SampleSet &base = *timed.items[0].samples, &today = *timed.items[1].samples;
  (seen.*batch_.into).push_back(pair_up(base, today));
  seen.process_s = seconds_since(begun);
  seen.cycles.push_back(in_cycles(base, today));
  if (stored != 0) seen.toolchain.push_back(pair_up(*timed.items[stored].samples, base));
  if (control != 0) note_control(pair_up(base, *timed.items[control].samples));
}

/// A few, spread evenly over all, each against itself in every process of the first batch.
bool TimeGate::is_control(std::size_t index) const {
  const std::size_t apart = (pairs_.size() + kControls - 1) / kControls;
  return process_ <= options_.plan.processes && index % apart == 0;
}

/// What the host does to a process it does to all kernels in it: their pairs count as one kernel's.
void TimeGate::note_control(const ProcessPairs& pairs) {
  control_.resize(std::max(control_.size(), static_cast<std::size_t>(process_)));
  ProcessPairs& all = control_.back();
  all.base_us.insert(all.base_us.end(), pairs.base_us.begin(), pairs.base_us.end());
  all.today_us.insert(all.today_us.end(), pairs.today_us.begin(), pairs.today_us.end());
}

/// False: their times say nothing about each other, and what is seen says why.
bool TimeGate::note(Seen& seen, const Evaluations& timed) const {
  seen.rule = options_.rule;
  if (timed.apart) seen.failure = "timed together they failed: " + timed.apart->message;
  for (const Evaluation& one : timed.items)
    if (!one.passed()) seen.failure = failure_of(one.candidate);
  const TrialCandidate& today = timed.items[1].candidate;
  if (today.trial.status != TrialStatus::passed && verdict_of(today.trial.status) == RegressVerdict::wrong)
    seen.failure = seen.wrong = failure_of(today);
  if (!seen.failure.empty()) return false;
  const SampleSet& first = *timed.items.front().samples;
  if (first.protocol == "events-1" && first.clock == ClockKind::measured) {
    for (const Evaluation& one : timed.items)
      seen.samples_us.insert(seen.samples_us.end(), one.samples->samples_us.begin(), one.samples->samples_us.end());
    seen.rule.floor_us = std::max(seen.rule.floor_us, clock_floor_us(seen.samples_us, kMostEventFloorUs));
  }
  for (const Evaluation& one : timed.items)
    if (!one.warning.empty()) seen.warning = one.warning;
  seen.conditions = conditions_text(first);
  return true;
}

GateOutcome TimeGate::outcome(const Seen& seen) const {
  GateOutcome outcome;
  outcome.wrong = seen.wrong;
  outcome.conditions = seen.conditions;
  std::vector<ProcessPairs> all = seen.first;
  all.insert(all.end(), seen.second.begin(), seen.second.end());
  for (const ProcessPairs& process : all) {
    outcome.base_samples_us.insert(outcome.base_samples_us.end(), process.base_us.begin(), process.base_us.end());
    outcome.today_samples_us.insert(outcome.today_samples_us.end(), process.today_us.begin(), process.today_us.end());
  }
  const auto effect = estimate_effect(all, seen.rule);
  if (!seen.failure.empty() || !effect) {
    outcome.why = seen.failure.empty() ? "fewer than two processes gave usable times" : seen.failure;
    return outcome;
  }
  outcome.verdict = decide_gate(seen.first, seen.second, seen.rule);
  outcome.ratio = effect->ratio;
  outcome.low = effect->low;
  outcome.high = effect->high;
  const auto one_batch = estimate_effect(seen.first, seen.rule);  // each of the two has to find it
  outcome.mde = one_batch ? one_batch->mde : effect->mde;
  outcome.sure = one_batch ? one_batch->sure : effect->sure;
  outcome.base_us = effect->base_us;
  outcome.today_us = effect->today_us;
  outcome.processes = effect->processes;
  outcome.why = seen.warning;
  if (const auto toolchain = estimate_effect(seen.toolchain, seen.rule)) outcome.toolchain_ratio = toolchain->ratio;
  doubt(outcome, seen);
  return outcome;
}

/// What speaks against the verdict, or explains that there is none.
void TimeGate::doubt(GateOutcome& outcome, const Seen& seen) {
  const auto cycles = estimate_effect(seen.cycles, seen.rule);
  const bool contradicted = cycles && (cycles->ratio - 1) * (outcome.ratio - 1) < 0;
  if (contradicted && (outcome.verdict == GateVerdict::regressed || outcome.verdict == GateVerdict::improved)) {
    outcome.verdict = GateVerdict::inconclusive;
    outcome.why = fmt::format("{:.3f} times as long, but {:.3f} times the SM's cycles: the clocks differed",
                              outcome.ratio, cycles->ratio);
  } else if (outcome.verdict == GateVerdict::inconclusive) {
    outcome.why = fmt::format("a slow-down of {:.0f} % is not excluded after {} processes; would have seen {:.1f} %",
                              100 * seen.rule.equivalence, outcome.processes, 100 * outcome.sure);
    if (!seen.warning.empty()) outcome.why += "; " + seen.warning;
  }
}

GateRun TimeGate::result() const {
  GateRun run;
  for (const Seen& seen : seen_) run.outcomes.push_back(outcome(seen));
  if (seen_.empty()) return run;
  const auto control = estimate_effect(control_, seen_.front().rule);
  if (!control) return run;
  run.control =
      fmt::format("kernels against themselves: {:.4f} [{:.4f}, {:.4f}]", control->ratio, control->low, control->high);
  run.control_passed = control_holds(*control, seen_.front().rule);
  if (run.control_passed) return run;
  for (GateOutcome& outcome : run.outcomes) {
    outcome.verdict = GateVerdict::inconclusive;
    outcome.why = "this device cannot tell kernels from themselves now: " + run.control;
  }
  return run;
}

std::uint32_t placement_of(std::uint64_t seed, int process) {
  return 1 + static_cast<std::uint32_t>(shuffled_order(64, seed, process).front());
}

}  // namespace kerlab::session
