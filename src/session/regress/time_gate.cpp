#include "session/regress/time_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/elapsed.h"
#include "base/interrupt.h"
#include "measure/timer.h"
#include "session/run/candidate.h"
#include "session/run/judge_samples.h"

namespace kerlab::session {

namespace {

constexpr double kMostEventFloorUs = 1;  // two steps of the events' clock, where it is as coarse as documented
/// One kernel alone would not do: on an H200 a kernel of 32 us bound by memory is told from itself to 1.3 % only by
/// five processes, which is wider than the margin, while the others of the same run were told to 0.3 %.
constexpr std::size_t kControls = 5;
constexpr std::chrono::milliseconds kLook{100};  // for an interrupt

/// What a pair's processes have seen.
struct Seen {
  std::vector<ProcessPairs> first, second;  ///< batches: of the gate, of its confirmation
  std::vector<ProcessPairs> toolchain;      ///< stored cubin against the same source compiled today
  std::vector<ProcessPairs> cycles;         ///< the gate's pairs in SM cycles
  std::vector<double> samples_us;           ///< of all, where the clock's step counts
  GateRule rule;
  std::string failure, wrong, warning, conditions;
};

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

class Gate {
 public:
  Gate(Rig& rig, std::span<const TimedPair> pairs, const GateOptions& options,
       const std::function<void(const std::string&)>& progress)
      : rig_(rig), pairs_(pairs), options_(options), progress_(progress), seen_(pairs.size()) {}

  GateRun run() {
    std::vector<std::size_t> all(pairs_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    batch(all, options_.processes, &Seen::first, "");
    for (int processes = options_.processes; processes < options_.most_processes;) {
      const auto wide = undecided();
      if (wide.empty()) break;
      const int more = std::min(processes + (processes == options_.processes ? 2 : 4), options_.most_processes);
      batch(wide, more - processes, &Seen::first, "interval too wide: ");
      processes = more;
    }
    if (const auto suspects = candidates(); !suspects.empty()) {
      progress_(
          fmt::format("{} to be confirmed; waiting {} s", suspects.size(), options_.before_confirming.count() / 1000));
      pause();
      batch(suspects, options_.processes, &Seen::second, "confirming: ");
    }
    return result();
  }

 private:
  /// In short pieces: a Ctrl-C ends it.
  void pause() const {
    const Clock::time_point until = Clock::now() + options_.before_confirming;
    while (Clock::now() < until) {
      end_interrupted_wait();
      std::this_thread::sleep_for(std::min<Clock::duration>(kLook, until - Clock::now()));
    }
  }

  using Batch = std::vector<ProcessPairs> Seen::*;

  /// So many fresh processes; each measures all of `which`, in an order of its own.
  void batch(const std::vector<std::size_t>& which, int processes, Batch into, const std::string& why) {
    for (int p = 0; p < processes; ++p) {
      ++process_;
      rig_.runner().stop();
      rig_.runner().spawn();
      rig_.runner().greet();
      std::size_t done = 0;
      for (const std::size_t i : shuffled_order(which.size(), options_.seed, process_)) {
        progress_(fmt::format("{}process {} of {}: {} of {}  {}", why, p + 1, processes, ++done, which.size(),
                              pairs_[which[i]].label));
        measure(which[i], into);
      }
    }
  }

  void measure(std::size_t index, Batch into) {
    const TimedPair& pair = pairs_[index];
    Seen& seen = seen_[index];
    if (!seen.failure.empty()) return;
    request::SetProblem data = pair.data;
    data.placement = placement_of(options_.seed, process_);
    rig_.runner().set_problem(std::move(data));
    RunRequest run;
    run.items = {pair.base, pair.today};
    const std::size_t stored = pair.stored.image.empty() ? 0 : run.items.size();
    if (stored != 0) run.items.push_back(pair.stored);
    const std::size_t control = is_control(index) ? run.items.size() : 0;
    if (control != 0) {
      run.items.push_back(pair.base);
      run.items.back().label += " (control)";
    }
    run.schedule.emplace();
    run.schedule->rounds = options_.pairs + 1;
    run.schedule->mirrored = true;
    run.schedule->seed = options_.seed + static_cast<std::uint64_t>(process_);
    run.deadline = pair.deadline;
    const RunOutcome outcome = rig_.runner().run(std::move(run));
    if (outcome.status != TrialStatus::passed || outcome.samples.size() < 2) {
      seen.failure = outcome.message.empty() ? "the worker sent no samples" : outcome.message;
      return;
    }
    note(seen, outcome);
    const CheckVerdict verdict = judge_samples(pair.label, outcome.samples[1], pair.data.problem);
    if (verdict.status != TrialStatus::passed) seen.failure = seen.wrong = verdict.message;
    const SampleSet &base = outcome.samples[0], &today = outcome.samples[1];
    (seen.*into).push_back(pair_up(base, today));
    seen.cycles.push_back(in_cycles(base, today));
    if (stored != 0) seen.toolchain.push_back(pair_up(outcome.samples[stored], base));
    if (control != 0) note_control(pair_up(base, outcome.samples[control]));
  }

  /// A few, spread evenly over all, each against itself in every process of the first batch.
  [[nodiscard]] bool is_control(std::size_t index) const {
    const std::size_t apart = (pairs_.size() + kControls - 1) / kControls;
    return process_ <= options_.processes && index % apart == 0;
  }

  /// What the host does to a process it does to all kernels in it: their pairs count as one kernel's.
  void note_control(const ProcessPairs& pairs) {
    control_.resize(std::max(control_.size(), static_cast<std::size_t>(process_)));
    ProcessPairs& all = control_.back();
    all.base_us.insert(all.base_us.end(), pairs.base_us.begin(), pairs.base_us.end());
    all.today_us.insert(all.today_us.end(), pairs.today_us.begin(), pairs.today_us.end());
  }

  void note(Seen& seen, const RunOutcome& outcome) const {
    seen.rule = options_.rule;
    if (outcome.samples.front().protocol == "events-1" && outcome.samples.front().clock == "measured") {
      for (const SampleSet& set : outcome.samples)
        seen.samples_us.insert(seen.samples_us.end(), set.samples_us.begin(), set.samples_us.end());
      seen.rule.floor_us = std::max(seen.rule.floor_us, clock_floor_us(seen.samples_us, kMostEventFloorUs));
    }
    for (const SampleSet& set : outcome.samples) {
      if (!set.guard_violation.empty()) seen.failure = "after timing: " + set.guard_violation;
      if (!set.warning.empty()) seen.warning = set.warning;
      if (!set.neighbours.empty()) seen.warning = "the device was shared with " + name_all(set.neighbours);
    }
    seen.conditions = conditions_text(outcome.samples.front());
  }

  [[nodiscard]] GateVerdict first_look(const Seen& seen) const {
    const auto effect = estimate_effect(seen.first, seen.rule);
    return effect ? look(*effect, seen.rule) : GateVerdict::inconclusive;
  }

  [[nodiscard]] std::vector<std::size_t> undecided() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (seen_[i].failure.empty() && first_look(seen_[i]) == GateVerdict::inconclusive) found.push_back(i);
    return found;
  }

  [[nodiscard]] std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const GateVerdict verdict = first_look(seen_[i]);
      if (seen_[i].failure.empty() && (verdict == GateVerdict::regressed || verdict == GateVerdict::improved))
        found.push_back(i);
    }
    return found;
  }

  [[nodiscard]] GateOutcome outcome(const Seen& seen) const {
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
    outcome.mde = effect->mde;
    outcome.base_us = effect->base_us;
    outcome.today_us = effect->today_us;
    outcome.processes = effect->processes;
    outcome.why = seen.warning;
    if (const auto toolchain = estimate_effect(seen.toolchain, seen.rule)) outcome.toolchain_ratio = toolchain->ratio;
    doubt(outcome, seen);
    return outcome;
  }

  /// What speaks against the verdict, or explains that there is none.
  void doubt(GateOutcome& outcome, const Seen& seen) const {
    const auto cycles = estimate_effect(seen.cycles, seen.rule);
    const bool contradicted = cycles && (cycles->ratio - 1) * (outcome.ratio - 1) < 0;
    if (contradicted && (outcome.verdict == GateVerdict::regressed || outcome.verdict == GateVerdict::improved)) {
      outcome.verdict = GateVerdict::inconclusive;
      outcome.why = fmt::format("{:.3f} times as long, but {:.3f} times the SM's cycles: the clocks differed",
                                outcome.ratio, cycles->ratio);
    } else if (outcome.verdict == GateVerdict::inconclusive) {
      outcome.why = fmt::format("a slow-down of {:.0f} % is not excluded after {} processes; this run sees {:.1f} %",
                                100 * seen.rule.equivalence, outcome.processes, 100 * outcome.mde);
      if (!seen.warning.empty()) outcome.why += "; " + seen.warning;
    }
  }

  [[nodiscard]] GateRun result() const {
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

  Rig& rig_;
  std::span<const TimedPair> pairs_;
  const GateOptions& options_;
  const std::function<void(const std::string&)>& progress_;
  std::vector<Seen> seen_;
  std::vector<ProcessPairs> control_;  ///< by process: the bases of the controls against themselves
  int process_ = 0;                    ///< started so far
};

}  // namespace

std::uint32_t placement_of(std::uint64_t seed, int process) {
  return 1 + static_cast<std::uint32_t>(shuffled_order(64, seed, process).front());
}

GateRun gate_times(Rig& rig, std::span<const TimedPair> pairs, const GateOptions& options,
                   const std::function<void(const std::string&)>& progress) {
  return Gate(rig, pairs, options, progress).run();
}

}  // namespace kerlab::session
