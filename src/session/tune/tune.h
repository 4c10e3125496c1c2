#pragma once
// One tuning session, stepped by the command line: `while (session.step()) progress.update(line(session.state()));`.
// Nothing calls back upwards.

#include "model/roofline.h"
#include "session/beside/beside.h"
#include "session/find/failures.h"
#include "session/find/problem_bottleneck.h"
#include "session/find/shipped.h"
#include "session/tune/finals.h"
#include "session/tune/ladder.h"
#include "session/tune/pace.h"
#include "session/tune/ranking.h"
#include "session/tune/variant_outcome.h"

namespace kerlab::session {

struct TuneOptions {
  RigOptions rig;
  std::vector<ProblemArgument> arguments;
  std::string dtype;  ///< empty: the family's first that the device supports
  VariantChoice variants;
  std::vector<std::string> where;  ///< conditions that configurations must meet beside the constraints
  std::string search;              ///< exhaustive, random, local, surrogate, forecast; empty or auto: see choose_search
  std::size_t trials = 0;          ///< most candidates; 0: all, or kDefaultTrials where the search is not exhaustive
  std::optional<std::size_t> patience;  ///< results without a better one; 0: for ever; none: see choose_search
  std::uint64_t seed = 1;
  bool once = false;  ///< a time budget that an earlier session spent on this problem is not given again
  ScreeningOptions screening;
  CompanyOptions company;
  std::filesystem::path shipped = shipped_folder();  ///< of winners to try first
  BesideCommands beside = {};                        ///< asked at the end
  std::string command, version;                      ///< for the record
};

inline constexpr std::size_t kExhaustiveUpTo = 300;
inline constexpr std::size_t kDefaultTrials = 512, kDefaultPatience = 150;
/// More candidates than this, and patience lasts longer: a search of many may be stuck where it is good, not best.
inline constexpr std::size_t kManyCandidates = 16384, kPatienceOfMany = 250;

/// On an emulated device, where each takes seconds: more are not all tried, but the most promising.
inline constexpr std::size_t kEmulatedUpTo = 24, kForecastPatience = 10;

/// How candidates are searched.
struct SearchChoice {
  std::string strategy;
  std::size_t trials = 0;    ///< at most; no more than there are candidates
  std::size_t patience = 0;  ///< 0: none
  /// It chooses by what it was told.
  [[nodiscard]] bool learns() const { return strategy == "local" || strategy == "surrogate" || forecasts(); }
  /// It begins with what is expected of candidates before they are compiled.
  [[nodiscard]] bool forecasts() const { return strategy == "forecast"; }
};
/// Few candidates are tried, because each takes seconds.
bool is_quick(const TuneOptions& options, const DeviceInfo& device);
/// auto: everything where that is at most kExhaustiveUpTo or the trials allowed, else the surrogate. `quick_part`: of
/// an emulated device: everything up to kEmulatedUpTo or the trials allowed, else by forecast.
SearchChoice choose_search(const TuneOptions& options, std::size_t candidates, bool quick_part = false);

/// What a session does now.
enum class TunePhase : std::uint8_t { screening, finals, ladder, finished };
std::string_view name(TunePhase phase);

/// Where a session stands, for one progress line.
struct TuneState {
  TunePhase phase = TunePhase::screening;
  ScreeningCounts counts;
  std::size_t compiling = 0;  ///< pending in the compilers
  double seconds = 0;
  std::optional<double> remaining_s;  ///< estimate
  double best_us = 0;                 ///< 0: none yet
  std::string best_label;
  std::string waiting;  ///< for whom, and since when: "python3 (pid 4711) on cuda:0, 12 s"
};

/// What the previous decision on this problem said, before this session.
struct PreviousWinner {
  std::string label;
  double median_us = 0;
  std::int64_t trial = 0;
};

/// What an interrupted session found and did not decide about.
struct FastestSoFar {
  std::string label;
  double median_us = 0;
};

/// One of the devices of a session.
struct TunedDevice {
  DeviceInfo info;
  std::size_t tried = 0;  ///< candidates of the sweep that ran on it
  double busy = 0;        ///< share of the wall time
  std::string lost;       ///< why it took no more part; empty: it did to the end
};

/// What a session stores, for who follows it while it runs.
struct TuneRecord {
  std::int64_t session = 0;
  std::string problem, device_class;  ///< as trials have them
  const KernelFolder& kernels;
};

/// Everything the summary shows.
struct TuneResult {
  std::string title;                 ///< "gemm 4096x4096x4096 bf16 nn"
  DeviceInfo device;                 ///< that measured the finals
  std::string device_title;          ///< "2 x NVIDIA H200"
  std::vector<TunedDevice> devices;  ///< all of them
  std::string toolchain;
  ProblemPlan problem;
  bool cost_from_data = false;  ///< its flops and bytes were counted; else formulas say them
  Roofline roof;                ///< theoretical
  std::uint64_t space = 0;      ///< before constraints
  std::uint64_t valid = 0;
  std::size_t sampled = 0;  ///< of the valid ones that the search chose from, where they are too many; else 0
  SearchChoice search;
  std::string ended;             ///< why no more were tried: "every configuration was tried", "512 trials", "30 s"
  std::string stopped_by;        ///< the limit, where it was one: "--trials 5", "--time 30", "interrupted"; else empty
  std::size_t left_for_all = 0;  ///< emulated: valid, but not in the quick part that was swept
  std::string small_problem;     ///< title of the problem on which candidates are checked first, or empty
  ScreeningCounts counts;
  std::vector<LeftOut> left_out;                            ///< variants that cannot run this
  std::vector<std::pair<TrialStatus, std::size_t>> failed;  ///< how many ended how
  std::vector<FailureGroup> failures;                       ///< those that failed alike, with what excludes them
  std::vector<RankedTrial> rows;                            ///< the winner first; empty: no winner
  std::vector<RankedTrial> others;                          ///< the next best, that were not in the finals
  std::optional<TimedTrial> first_rung;                     ///< of the family's ladder: what is stored of it
  std::vector<LadderRung> ladder;                           ///< with --ladder: every rung
  std::optional<DecisionRule> rule;                         ///< none: nothing was decided
  std::vector<VariantOutcome> variants;                     ///< the winner's first
  ProblemBottleneck bottleneck;                             ///< of the problem, whatever the kernel
  std::vector<LibraryRow> library;
  std::string library_note;
  std::vector<BesideAnswer> beside;
  std::string verified;  ///< "6 of 1024 blocks, and whole at ..."
  bool interrupted = false;
  std::optional<FastestSoFar> fastest;   ///< of the sweep; of an interrupted session
  bool measured_now = false;             ///< false: everything was stored and the decision stands
  std::string untimed;                   ///< what the winner does before a run (untimed_text)
  std::vector<std::string> range_edges;  ///< "STAGES=4 is the largest listed"
  std::vector<Importance> importance;    ///< of the winner's variant
  std::optional<PreviousWinner> previous;
  std::optional<ShippedWinner> shipped;  ///< what was shipped for this problem and device
  std::string shipped_note;  ///< why it was not tried, or that its kernel has changed; empty: tried as it was
  std::optional<OutsideWinner> outside;  ///< the winner where it is no row: it was not asked for
  std::vector<std::string> warnings;
  double gpu_busy = 0, compilers_busy = 0;  ///< shares of the wall time, means over devices and processes
  WorkerSeconds worker_s;                   ///< of wall_s: what the first device's worker did
  double open_s = 0, finals_s = 0;          ///< of wall_s: before the sweep, after it (ladder included)
  double library_s = 0;  ///< of wall_s: opening the vendor's library and choosing among its algorithms
  double wall_s = 0;
  int respawns = 0;
};

class TuneSession {
 public:
  /// Judges what was typed, opens the device and the compilers. Throws UsageError, SpecError, Error.
  TuneSession(TuneOptions options, Database& database);
  ~TuneSession();

  /// Waits a little for something to happen and deals with it. False: finished.
  bool step();
  /// Ctrl-C: keeps what is there, ends the session as interrupted.
  void interrupt();
  [[nodiscard]] TuneState state() const;
  [[nodiscard]] TuneRecord record() const;
  /// Lines that stay on the screen: culprits, warnings.
  std::vector<std::string> take_notes();
  /// Best so far; complete once finished.
  [[nodiscard]] TuneResult result() const;

 private:
  void begin_screening();
  [[nodiscard]] std::set<std::string> variant_names() const;
  [[nodiscard]] std::optional<double> remaining_s(const ScreeningCounts& counts) const;
  std::optional<std::size_t> find_candidate(const std::string& variant, const std::string& configuration);
  void ask_known();
  [[nodiscard]] bool was_given_its_time() const;
  void ask_likely();
  void ask_previous_first();
  void ask_shipped();
  void begin_finals();
  void compete();
  [[nodiscard]] bool decision_holds(const StoredTimes& times) const;
  void end_finals();
  void climb_or_finish();
  void finish();
  void ask_beside();
  void use_stored_decision(const Decision& decision);
  void warn_beyond_measured_roof(TuneResult& result) const;
  void add_devices(TuneResult& result) const;
  [[nodiscard]] std::string ended() const;
  [[nodiscard]] std::string stopped_by() const;

  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> opened_, screened_, finished_;  ///< when the phases ended
  TuneOptions options_;
  Rig rig_;
  KernelFolder asked_;  ///< the rig's, less what is not to be tried
  Company company_;
  ProblemSetup setup_;
  CandidateSpace space_;
  std::optional<SearchSpace> search_space_;  ///< of a strategy that looks at parameters
  SearchChoice search_;
  StoredContenders stored_;  ///< that compete with what was tried; of the finals
  std::optional<Screening> screening_;
  Ledger ledger_;  ///< after those whose trials it may still have to write
  ProblemLoader loader_;
  std::optional<Pace> pace_;  ///< of tunes like this one; none: nothing comparable is stored
  double reserved_s_ = 0;     ///< of the time limit, for the finals
  std::optional<Decision> previous_;
  std::optional<ShippedWinner> shipped_;
  std::string shipped_note_;
  std::vector<std::string> warnings_;
  std::optional<Finals> finals_;
  std::optional<Ladder> ladder_;
  FinalResult final_;
  std::vector<BesideAnswer> beside_;
  TunePhase phase_ = TunePhase::screening;
  bool measured_now_ = false, interrupted_ = false;
  std::vector<std::string> notes_;
};

/// What would be done, for --dry-run.
struct TunePlan {
  std::string title, device;
  double flops = 0, bytes = 0, minimum_us = 0;
  struct VariantPlan {
    std::string name;
    std::uint64_t raw = 0;
    std::uint64_t valid = 0;
    std::vector<Space::Cut> cuts;
    std::vector<Space::Cut> quick_cuts = {};  ///< from these to the quick part of an emulated device, by condition
  };
  std::vector<VariantPlan> variants;
  std::vector<LeftOut> left_out;
  SearchChoice search;
  std::size_t to_try = 0, stored = 0;
  double expected = 0;               ///< how many of `to_try` it will be, where the search ends by itself
  std::optional<double> estimate_s;  ///< none: nothing comparable was tuned on this device
};
TunePlan plan_tune(const TuneOptions& options, Database& database);

}  // namespace kerlab::session
