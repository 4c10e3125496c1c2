#pragma once
// The sweep: every candidate that the search asks for goes down once (compile, prune, check, time) and comes up once,
// as a trial. Compilers run ahead of the workers, so that no worker waits while there is work.

#include <deque>
#include <map>
#include <unordered_map>

#include "search/strategy.h"
#include "session/run/ledger.h"
#include "session/run/prune.h"
#include "session/run/space.h"
#include "session/tune/crew.h"
#include "session/tune/suspects.h"

namespace kerlab::session {

struct ScreeningOptions {
  bool fresh = false;  ///< stored trials are tried again
  bool allow_spills = false;
  bool full = false;     ///< emulated: every block is executed
  double time_s = 0;     ///< after the first has begun, no candidate is begun later; 0: no limit
  double timeout_s = 0;  ///< of check and timing; 0: from the best time so far
  int samples = 3;
  double bound_factor = 1.25;  ///< who cannot take less than this times the best is not compiled; 0: everybody is
  double abandon_factor = 2;   ///< a first sample slower than this times the best ends the timing; long runs: 1.25
  bool learns = false;         ///< the search: it is asked for no more than keeps compilers and worker busy
};

/// A candidate of a tune, that the search asked for or that was stored before, and what became of it.
struct Screened {
  TrialCandidate candidate;
  std::size_t index = 0;              ///< in the candidate space
  std::optional<Measurement> time;    ///< of one that passed: of the sweep, or stored
  std::optional<std::size_t> device;  ///< of the rig, that has run it in this session
  bool stored = false;                ///< taken from the database
  bool spills = false;
  bool waited = false;  ///< its timing was the device's first and may have waited for the clocks
  std::string suspect;  ///< of which that hung it reminded when it was tried; empty: of none
  bool twin = false;    ///< credited with the time of an equal program
  bool weaker = false;  ///< of a class of accuracy that may not win against a stricter one
  /// Of its variant, where this session was not to try it: stored, it may win, and is in no table.
  const VariantSource* outside = nullptr;
  bool as_stored = false;  ///< never measured here: compared with the others by its stored time
};

/// Of the variant of a candidate.
const VariantSource& source_of(const CandidateSpace& space, const Screened& screened);

/// Compiled images that outlive the screening: those of the best.
inline constexpr std::size_t kImagesKept = 8;

struct ScreeningCounts {
  std::size_t planned = 0, asked = 0, done = 0, passed = 0, stored = 0, faults = 0;
  std::size_t hopeless = 0;  ///< of those done: left out, since their bound lies above the best (bound_factor)
};

/// Which limit ended a sweep.
enum class SweepEnd {
  search,    ///< its own: everything was tried, its trials, its patience
  time,      ///< the time budget
  recalled,  ///< the time budget of an earlier session; nothing was tried in this one
};

class Screening {
 public:
  Screening(Rig& rig, Company& company, const ProblemSetup& setup, ProblemLoader& loader, const CandidateSpace& space,
            Ledger& ledger, std::unique_ptr<Strategy> strategy, std::size_t planned, ScreeningOptions options);

  /// First of all, and whatever the search says: the previous winner.
  void ask_first(std::size_t index);
  /// What was to be asked first is looked up in the database, and nothing else is tried.
  void recall();
  /// Takes what compilers and workers have finished and gives them more; never blocks. False: finished.
  bool step();
  /// Ends now: what is not finished goes back to `interrupted`.
  void abandon();

  [[nodiscard]] const std::deque<Screened>& screened() const { return screened_; }
  [[nodiscard]] std::deque<Screened>& screened() { return screened_; }
  [[nodiscard]] const ScreeningCounts& counts() const { return counts_; }
  [[nodiscard]] const Screened* best() const { return best_; }
  /// Why no more candidates were asked for; none while there are.
  [[nodiscard]] std::optional<SweepEnd> end() const;
  /// The search's own words, where it has come to its end; else empty.
  [[nodiscard]] std::string search_ended() const { return strategy_->ended(); }
  /// Messages about culprits since the last call, for the progress display.
  std::vector<std::string> take_notes();
  /// How much of a candidate an emulated device executes to verify it.
  [[nodiscard]] Sampling sampling(const Screened& screened) const;
  /// How the library failed when it was opened; empty: it did not.
  [[nodiscard]] const std::string& library_trouble() const { return crew_.library_trouble(); }
  /// How long check and timing of a candidate may take.
  [[nodiscard]] std::chrono::milliseconds deadline(std::size_t launches) const;

 private:
  struct Compiling {
    Screened* screened = nullptr;
    Compilation compilation;
  };
  void bound_compute();
  void prepare_workers();
  void refill();
  bool ask_batch(std::size_t most);
  [[nodiscard]] std::vector<std::size_t> next_indices(std::size_t most);
  [[nodiscard]] std::size_t under_way() const;
  [[nodiscard]] std::size_t most_ready() const;
  [[nodiscard]] std::size_t excess_ready(std::size_t processes) const;
  void admit(Screened& screened, const Trial* stored);
  Screened* next_to_compile();
  [[nodiscard]] bool is_hopeless(const Screened& screened) const;
  void leave_out(Screened& screened);
  void submit(Screened& screened);
  void take_all_compiled();
  void take_compiled(Screened& screened, CompileResult result);
  void take_finished();
  void open_library_in_time();
  void feed_workers();
  [[nodiscard]] double abandon_us() const;
  bool run(std::size_t device, Screened& screened);
  Screened* next_ready();
  void commit_launching();
  bool credit_twin(Screened& screened);
  void take_evaluation(Screened& screened, Evaluation& evaluation);
  void end(Screened& screened);
  void pass(Screened& screened, Measurement time);
  void keep_image(Screened& screened);
  [[nodiscard]] bool out_of_time() const;

  Rig& rig_;
  Company& company_;
  const ProblemSetup& setup_;
  ProblemLoader& loader_;
  const CandidateSpace& space_;
  Ledger& ledger_;
  std::unique_ptr<Strategy> strategy_;
  ScreeningOptions options_;
  double compute_us_ = 0;  ///< of the arithmetic, at the theoretical peak
  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> counted_from_;  ///< of the time budget: when the first candidate began

  std::deque<Screened> screened_;               ///< in the order asked; addresses are stable
  std::deque<std::size_t> first_;               ///< to ask before the strategy
  std::unordered_map<std::size_t, bool> seen_;  ///< candidate indices asked already
  std::deque<Screened*> asked_;                 ///< waiting for a compiler
  std::deque<Screened*> put_off_;               ///< suspected to hang a compiler
  std::vector<Compiling> compiling_;
  std::deque<Screened*> ready_;  ///< compiled, waiting for a worker
  Crew crew_;
  std::unordered_map<std::string, Screened*> measured_;  ///< by twin key
  Screened* best_ = nullptr;
  bool library_due_ = false;           ///< the vendor's library is still to be opened
  std::vector<Screened*> with_image_;  ///< the best that were compiled in this session
  Suspects suspects_;
  double longest_ms_ = 0, longest_compile_ms_ = 0;  ///< of a healthy candidate: a check or timing; its compilation
  bool exhausted_ = false, timed_out_ = false, recalled_ = false;
  ScreeningCounts counts_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
