#pragma once
// The finalists, measured side by side in shuffled rounds: drift between candidates, not noise within one, decides
// between close configurations. A few rounds of all find those who may win, a duel of these decides, the winner must
// pass the thorough check, and is measured once more, beside the vendor's library: the samples that made it the winner
// flatter it.

#include "session/decide.h"
#include "session/library_rows.h"
#include "session/screening.h"
#include "stats/samples.h"

namespace kerlab {

inline constexpr std::size_t kMostFinalists = 8, kMostDuelists = 4;

/// A finalist in rounds that it had together with the winner: only such times say who is faster.
struct SideBySide {
  Summary summary;    ///< of its samples
  PairedRatio ratio;  ///< its time over the winner's: above 1 it is slower
  bool duel = false;  ///< else it left after the few rounds of all
};

struct FinalRow {
  Screened* screened = nullptr;
  Measurement measurement;           ///< stage final, stored; of the winner measured anew, after the others
  std::optional<SideBySide> beside;  ///< none: they never ran in the same rounds, or the row is of an earlier session
};

/// The stored winner, where this session cannot try it (its variant was not asked for). It gives way only to something
/// faster.
struct ReigningWinner {
  std::int64_t trial = 0;
  std::string label;
  double median_us = 0;  ///< of its stored final
};

struct FinalResult {
  std::vector<FinalRow> rows;  ///< the winner first, its ties next, then by time; empty: nobody won
  std::size_t ties = 0;
  std::string rule;
  std::vector<LibraryRow> library;
  std::string library_note;  ///< why there is no library row, or what opening and choosing cost
  double library_s = 0;      ///< what they cost
  std::string verified;      ///< what of the winner was executed
  std::string kept;          ///< why the stored winner stays the winner; empty: it does not
  std::vector<std::string> warnings;
};

class Finals {
 public:
  /// `screening` must be finished.
  Finals(Rig& rig, Company& company, const ProblemSetup& setup, const CandidateSpace& space, Ledger& ledger,
         Screening& screening, ProblemLoader& loader, std::optional<ReigningWinner> reigning);

  /// Never blocks. False: finished, and `result` is there.
  bool step();
  [[nodiscard]] const FinalResult& result() const { return result_; }
  /// Somebody failed here who had passed before.
  [[nodiscard]] bool lost_somebody() const { return lost_somebody_; }
  [[nodiscard]] std::size_t finalists() const { return finalists_.size(); }
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class Phase { compiling, halving, duel, alone, verifying, again, finished };
  struct Entry {
    Screened* screened = nullptr;
    std::optional<SampleSet> samples;
    bool out = false;                               ///< failed in the finals
    bool duelist = false;                           ///< its samples are of the duel
    std::vector<double> all_us = {}, duel_us = {};  ///< of the rounds of all, of the duel
  };

  void take_compiled();
  void begin_timing(Phase phase, const std::vector<std::size_t>& entries);
  void begin_together();
  bool was_not_alone(const RunOutcome& outcome);
  void take_timing(RunOutcome& outcome);
  void take_samples(Entry& entry, const RunOutcome& outcome, std::size_t item);
  void begin_duel();
  void next_alone();
  void rank();
  void begin_verifying();
  void take_verdict(RunOutcome& outcome);
  void measure_again();
  void take_again(RunOutcome& outcome);
  void eliminate(Entry& entry, TrialStatus status, const std::string& message);
  void store();
  [[nodiscard]] int rounds(Phase phase, const std::vector<std::size_t>& entries) const;
  [[nodiscard]] RunItem item(const Entry& entry) const;
  [[nodiscard]] static Finalist finalist(const Entry& entry);
  [[nodiscard]] std::optional<SideBySide> beside_winner(const Entry& entry) const;

  Rig& rig_;
  Company& company_;
  const ProblemSetup& setup_;
  Ledger& ledger_;
  Screening& screening_;
  ProblemLoader& loader_;
  std::optional<ReigningWinner> reigning_;
  Phase phase_ = Phase::compiling;
  std::vector<Entry> finalists_;
  std::size_t images_missing_ = 0;
  std::vector<std::size_t> timed_;    ///< entries in the timing under way
  std::vector<std::size_t> alone_;    ///< still to be timed alone, after a fault of all together
  std::vector<std::size_t> ranking_;  ///< entries, the winner first
  bool with_library_ = false;         ///< in the timing under way
  std::string library_trouble_;       ///< why it is left out
  bool lost_somebody_ = false;
  bool again_when_alone_ = false;  ///< somebody walked into the timing, and this session wants to be alone
  LibraryOutcome library_;
  FinalResult result_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab
