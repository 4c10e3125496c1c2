#pragma once
// Old kernels beside today's, timed so that an unchanged one does not fail: in fresh processes, each of which measures
// all of them in mirrored pairs; whoever looks slower is measured again in new ones (stats/gate.h).

#include <optional>
#include <string>
#include <vector>

#include "session/run/evaluation.h"
#include "stats/gate_plan.h"

namespace kerlab::session {

/// A baseline and what has become of it. All run on the same data.
struct TimedPair {
  std::string label;
  ProblemSetup setup;
  request::SetProblem data;    ///< the reference may be empty: nothing is checked here
  TrialCandidate stored;       ///< with the cubin of then; no image: there is none for this device
  TrialCandidate base, today;  ///< the source of then, and today's, compiled today
  double expected_us = 0;      ///< of a launch, as it was then; 0: not known
  std::chrono::milliseconds deadline{60000};
};

struct GateOptions {
  GateRule rule;  ///< its floor_us is that of samples between events; batched ones have none
  GatePlan plan;
  double time_s = 0;  ///< for processes beyond the first of the plan, longer kernels first; 0: as long as they take
  std::chrono::milliseconds before_confirming{30000};  ///< until the second batch begins
  std::uint64_t seed = 1;
};

struct GateOutcome {
  GateVerdict verdict = GateVerdict::inconclusive;
  double ratio = 0, low = 0, high = 0;    ///< today over base, each bound one-sided, 95 %; 0: not known
  double mde = 0;                         ///< slow-down (fraction) that this run would have found in 80 of 100 cases
  double sure = 0;                        ///< and in 99 of 100
  double base_us = 0, today_us = 0;       ///< medians
  std::optional<double> toolchain_ratio;  ///< the source of then compiled today, over the cubin of then
  int processes = 0;
  std::string wrong;       ///< what timing showed to be wrong with today's kernel; empty: nothing
  std::string why;         ///< inconclusive: why; a warning otherwise; or empty
  std::string conditions;  ///< of the device: power, temperature, what held the clocks down
  std::vector<double> base_samples_us, today_samples_us;  ///< all of them
};

struct GateRun {
  std::vector<GateOutcome> outcomes;  ///< of the pairs, in their order
  bool control_passed = true;         ///< false: this device cannot tell kernels from themselves now; no failure counts
  std::string control;  ///< what the control showed: "kernels against themselves: 1.0002 [0.9991, 1.0013]"
};

/// For devices that measure time, or a script's. `while (gate.step()) show(gate.doing());`. A pair that cannot be run
/// is inconclusive and says why; the others go on.
class TimeGate {
 public:
  TimeGate(Rig& rig, std::vector<TimedPair> pairs, GateOptions options);
  ~TimeGate();
  TimeGate(const TimeGate&) = delete;
  TimeGate& operator=(const TimeGate&) = delete;
  /// Starts a process, measures one pair in it, or waits a little. False: finished. Throws Error when the device is
  /// lost.
  bool step();
  /// What the next step is about: "confirming: process 2 of 5: 1 of 3  gemm ...".
  [[nodiscard]] std::string doing() const;
  [[nodiscard]] GateRun result() const;

 private:
  struct Seen;  ///< of a pair, by all processes
  /// So many fresh processes; each measures all of `which`, in an order of its own.
  struct Batch {
    std::vector<std::size_t> which, order;  ///< order: of the process that runs now
    std::size_t next = 0;                   ///< in that
    int processes = 0, started = 0;
    std::vector<ProcessPairs> Seen::*into = nullptr;
    std::string why;
  };
  bool next_batch();
  bool begin_batch(const std::vector<int>& lacking, std::vector<ProcessPairs> Seen::*into, std::string why);
  [[nodiscard]] std::vector<int> lacking() const;
  [[nodiscard]] std::vector<int> lacking_to_confirm() const;
  void keep_what_time_allows(std::vector<int>& lacking) const;
  void start_process();
  void measure(std::size_t index);
  bool note(Seen& seen, const Evaluations& timed) const;
  void note_control(const ProcessPairs& pairs);
  [[nodiscard]] bool is_control(std::size_t index) const;
  [[nodiscard]] static GateVerdict first_look(const Seen& seen);
  [[nodiscard]] GateOutcome outcome(const Seen& seen) const;
  static void doubt(GateOutcome& outcome, const Seen& seen);

  Rig& rig_;
  std::vector<TimedPair> pairs_;
  GateOptions options_;
  std::vector<Seen> seen_;
  std::vector<ProcessPairs> control_;  ///< by process: the bases of the controls against themselves
  Batch batch_;
  int process_ = 0;  ///< started so far
  bool confirms_ = false;
  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> pause_until_;
};

/// Bytes that a process leaves free before its data, in MiB: another number for each, from 1 to 64.
std::uint32_t placement_of(std::uint64_t seed, int process);

}  // namespace kerlab::session
