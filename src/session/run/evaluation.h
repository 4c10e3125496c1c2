#pragma once
// What becomes of a candidate: compiled, run, judged, measured. Sweep, finals, ladder, single runs, portfolio, gate,
// recorded sweeps and the vendor's benchmark decide when what is evaluated; how a candidate has ended is decided here.

#include <deque>

#include "session/run/candidate.h"
#include "session/run/ending.h"

namespace kerlab::session {

/// What a check found: passed, wrong, guard_violation or input_modified.
Ending judge(const CheckReport& report);

/// What of item `index` of a run is to be said, by all that the worker told of it: its check, a fault, memory damaged
/// while it was timed, another result on data not seen before, a time below what the device can do or that the host's
/// clock denies, no time at all. `interrupted`: another item ended the run before this one had come to its end.
Ending judge(const Loadable& item, std::size_t index, const RunOutcome& outcome, const Protocol& protocol,
             const ProblemPlan& plan);

/// One candidate under one protocol.
struct Evaluation {
  TrialCandidate candidate;                ///< its trial says how it ended: status, message, resources, check
  CheckReport report;                      ///< of the check that decided, where there was one
  std::string scope;                       ///< of an emulated check: what was executed
  std::optional<SampleSet> samples;        ///< as they were taken, whatever they are worth
  std::optional<Measurement> measurement;  ///< of one that passed; not stored yet
  std::string warning;                     ///< of the timing
  std::vector<CountedLaunch> counted;      ///< emulated and timed: what a run executes
  std::vector<KernelResources> resources;  ///< of the kernels, as loaded
  std::vector<SanitizedLaunch> sanitized;  ///< where it was asked for
  std::string compile_log;                 ///< first error of the compiler; empty: it compiled
  double compile_s = 0;                    ///< waited for the compiler
  double longest_ms = 0;                   ///< of checks and timing of its run
  [[nodiscard]] bool passed() const { return candidate.trial.status == TrialStatus::passed; }
};

/// What became of candidates that were on the device together.
struct Evaluations {
  std::vector<Evaluation> items;     ///< in the order given
  std::optional<Ending> apart;       ///< how they failed together; then each was run alone, and no two times compare
  LibraryOutcome library;            ///< where it was asked for
  std::vector<EnergySample> energy;  ///< of the items, then of the library's rows
  std::string energy_message;        ///< why there is none
};

/// False: the device cannot take its launches, and the trial says so.
bool can_launch(TrialCandidate& candidate, const DeviceInfo& device);
/// What the compiler made of it becomes part of the candidate. False: there is nothing to run, and the trial says why.
bool take_compiled(TrialCandidate& candidate, CompileResult& compiled, const DeviceInfo& device, bool allow_spills);

/// Candidates on one device, from the load to how they ended. Of several that fail together each is run alone, so that
/// the culprit names itself; whoever fails in the company of the vendor's library has its turn without it.
class EvaluationRun {
 public:
  /// Begins; all must have an image, and the runner `setup`'s problem. No candidates: the library alone.
  EvaluationRun(CandidateRunner& runner, const ProblemSetup& setup, std::vector<TrialCandidate> candidates,
                Protocol protocol);
  /// Looks without blocking; the outcome once it is there. Throws Error when the device cannot be used any more.
  std::optional<Evaluations> poll();
  /// Blocks for it.
  Evaluations wait();

 private:
  void begin(std::vector<std::size_t> batch);
  std::optional<Evaluations> take(RunOutcome& outcome);
  bool leave_library_out(const RunOutcome& outcome);
  void conclude(std::size_t place, RunOutcome& outcome);
  [[nodiscard]] std::string at_work(const RunOutcome& outcome) const;
  [[nodiscard]] bool is_decided(std::size_t place, const RunOutcome& outcome) const;

  CandidateRunner* runner_;
  const ProblemSetup* setup_;
  Protocol protocol_;
  Evaluations result_;
  std::vector<std::size_t> batch_;  ///< items that are on the device now
  std::deque<std::size_t> alone_;   ///< items that are still to be run, each alone
};

/// Begins, and waits for the outcome, on the rig's first device.
Evaluations evaluate(Rig& rig, const ProblemSetup& setup, std::vector<TrialCandidate> candidates, Protocol protocol);

}  // namespace kerlab::session
