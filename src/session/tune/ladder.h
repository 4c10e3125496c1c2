#pragma once
// The ladder of a family: every variant in the order of its rung, at its default configuration and, where a faster
// verified one is known, at its best. On a device with a clock all of them are timed side by side, because a step's
// gain is a ratio of two times.

#include "session/tune/decide.h"

namespace kerlab::session {

/// One variant of the family.
struct LadderRung {
  int rung = 0;
  std::string variant;
  std::optional<TimedTrial> at_default;
  std::string reason;              ///< why `at_default` is not there; empty when it is
  std::optional<TimedTrial> best;  ///< of the sweep or the database, when faster than the default
  double predicted_us = 0;    ///< of the default, by its description: where its busiest unit never waits; 0: not known
  double predicted_step = 0;  ///< as `step`, by these; 0: one of them has none
  double step = 0;            ///< time of the previous rung at its default over this one's; 0: one of them has none
};

class Ladder {
 public:
  /// `screening` must be finished.
  Ladder(Rig& rig, Company& company, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger,
         Screening& screening, ProblemLoader& loader);

  /// Never blocks. False: finished. Does nothing where the times are there: emulated, or all of one session. Where the
  /// session wants to be alone on its devices, what was timed in company is timed again.
  bool step();
  /// By rung; complete once finished, what is stored before.
  [[nodiscard]] std::vector<LadderRung> rungs() const;
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class Phase { compiling, waiting, timing, finished };
  void choose();
  [[nodiscard]] bool timed_together() const;
  void take_compiled();
  void begin_timing();
  void take_timing(Evaluations& timed);
  [[nodiscard]] Screened* tried(std::size_t variant, const Configuration& configuration) const;
  [[nodiscard]] Screened* fastest(std::size_t variant) const;
  [[nodiscard]] std::optional<TimedTrial> time_of(const Trial& trial) const;
  [[nodiscard]] std::optional<TimedTrial> best_stored(const Variant& variant, const std::string& source_hash) const;
  [[nodiscard]] LadderRung rung_of(const Variant& variant) const;

  Rig& rig_;
  Company& company_;
  const ProblemSetup& setup_;
  const CandidateSpace& space_;
  Ledger& ledger_;
  Screening& screening_;
  ProblemLoader& loader_;
  Phase phase_ = Phase::finished;
  std::vector<Screened*> rungs_;  ///< that are timed side by side
  std::optional<EvaluationRun> run_;
  std::vector<Compilation> compilations_;  ///< of their images
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
