#pragma once
// The finalists, measured side by side in shuffled rounds: drift between candidates, not noise within one, decides
// between close configurations. A few rounds of all find those who may win, a duel of these decides, the winner must
// pass the thorough check, and is measured once more, beside the vendor's library: the samples that made it the winner
// flatter it.

#include "session/run/library_rows.h"
#include "session/tune/contenders.h"
#include "session/tune/decide.h"
#include "stats/samples.h"

namespace kerlab::session {

inline constexpr std::size_t kMostDuelists = 4;

/// A finalist in rounds that it had together with the winner: only such times say who is faster.
struct SideBySide {
  Summary summary;    ///< of its samples
  PairedRatio ratio;  ///< its time over the winner's: above 1 it is slower
  bool duel = false;  ///< else it left after the few rounds of all
};

/// Where the time of a ranked trial comes from.
enum class Timed { finals, sweep, before };

/// A row of a tune's ranking. Of a finalist the measurement is of stage final, stored; the winner's is taken anew,
/// after the others.
struct RankedTrial : TimedTrial {
  double chosen_us = 0;  ///< the time that brought it to the finals, of the sweep or stored
  Timed timed = Timed::finals;
  bool tie = false;  ///< in the tie set (the winner included)
  /// The first row; none: they never ran in the same rounds, or the row is of an earlier session.
  std::optional<SideBySide> beside = {};
};

/// A winner that was not asked for: stored, and as fast or faster.
struct OutsideWinner {
  Trial trial;
  double median_us = 0;
  double ratio = 0;    ///< time of the best that was asked for over its own; 0: nothing that was asked for passed
  bool stays = false;  ///< it was the winner before; else it is from now on
};

struct FinalResult {
  /// What was asked for: the winner first, its ties next, then by time; empty: nothing that was asked for is left.
  std::vector<RankedTrial> rows;
  std::optional<OutsideWinner> outside;  ///< the winner where it is no row
  std::optional<DecisionRule> rule;      ///< none: nobody won
  std::vector<LibraryRow> library;
  std::string library_note;  ///< why there is no library row, or what opening and choosing cost
  double library_s = 0;      ///< what they cost
  std::string verified;      ///< what of the winner was executed
  std::vector<std::string> warnings;
};

class Finals {
 public:
  /// `screening` must be finished; `stored` compete with what it tried. Both must outlive the result.
  Finals(Rig& rig, Company& company, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger,
         Screening& screening, StoredContenders& stored, ProblemLoader& loader);

  /// Never blocks. False: finished, and `result` is there.
  bool step();
  [[nodiscard]] const FinalResult& result() const { return result_; }
  /// Somebody failed here who had passed before.
  [[nodiscard]] bool lost_somebody() const { return lost_somebody_; }
  [[nodiscard]] std::size_t finalists() const { return finalists_.size(); }
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class Phase { compiling, halving, duel, verifying, again, finished };
  struct Entry {
    Screened* screened = nullptr;
    Compilation compilation = {};  ///< of its image, where that is not there any more
    std::optional<Measurement> measurement = {};
    std::string warning = {};                       ///< of its timing
    std::vector<ForeignProcess> neighbours = {};    ///< the same
    bool out = false;                               ///< failed in the finals
    bool duelist = false;                           ///< its samples are of the duel
    std::vector<double> all_us = {}, duel_us = {};  ///< of the rounds of all, of the duel
  };

  void take_compiled();
  void begin_timing(Phase phase, const std::vector<std::size_t>& entries);
  void begin_together();
  bool was_not_alone(const Evaluations& timed);
  void take_timing(Evaluations& timed);
  void take_evaluation(Entry& entry, Evaluation& evaluation);
  void begin_duel();
  void rank();
  void begin_verifying();
  void take_verdict(Evaluations& checked);
  void measure_again();
  void take_again(Evaluations& timed);
  void eliminate(Entry& entry, const Trial& found, const std::string& when = "");
  void store();
  [[nodiscard]] bool stricter_is_left() const;
  [[nodiscard]] int rounds(Phase phase, const std::vector<std::size_t>& entries) const;
  [[nodiscard]] std::optional<SideBySide> beside_first(const Entry& entry, const Entry& first) const;
  [[nodiscard]] OutsideWinner outside_winner(const Entry* first) const;
  void decide_for(const Entry& entry, Decision decision);

  Rig& rig_;
  Company& company_;
  const ProblemSetup& setup_;
  Ledger& ledger_;
  Screening& screening_;
  ProblemLoader& loader_;
  std::int64_t stored_winner_;  ///< trial; 0: none
  Phase phase_ = Phase::compiling;
  std::vector<Entry> finalists_;
  std::optional<EvaluationRun> run_;  ///< under way
  std::vector<std::size_t> timed_;    ///< entries in it
  std::vector<std::size_t> ranking_;  ///< entries, the winner first
  std::size_t ties_ = 0;              ///< of them, the winner included
  bool lost_somebody_ = false;
  bool again_when_alone_ = false;  ///< somebody walked into the timing, and this session wants to be alone
  LibraryOutcome library_;         ///< its message: why it is left out
  FinalResult result_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
