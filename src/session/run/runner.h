#pragma once
// Runs candidates on the worker: load, check, time, unload. A fault becomes an outcome, a broken worker is replaced,
// and whoever was on the device when it died gets one retry alone.

#include <optional>
#include <string>
#include <vector>

#include "trial/trial.h"
#include "worker/worker.h"

namespace kerlab::session {

/// One candidate to load. `label` names it in messages: "reg2d BM=128 BN=64".
struct RunItem {
  std::string label;
  Bytes image;
  LaunchPlan plan;
  LaunchPlan small_plan;          ///< on the small problem; no launches: cannot run there
  bool nondeterministic = false;  ///< its runs may differ bit by bit
  bool checked = false;           ///< before, on these data: it is only timed
};

/// What to do with candidates that are loaded together.
struct RunRequest {
  std::vector<RunItem> items;
  std::vector<std::uint32_t> recipes;  ///< to check first, indices into ProblemPlan::recipes; empty: no check
  bool thorough = false;
  bool explain = false;  ///< a check that fails looks at which elements are wrong, as a thorough one does
  Sampling sampling = Sampling::automatic;  ///< of checks on an emulated device
  std::optional<TimingSchedule> schedule;   ///< none: no timing
  bool fresh = false;         ///< after timing (not emulated) each is checked once more, on data not seen before
  double energy_seconds = 0;  ///< each alone under load for so long, GPUs only; 0: not
  bool library = false;       ///< the vendor's library is opened, and timed beside the items
  bool count_lines = false;   ///< timing on an emulated device counts by PTX instruction too
  bool run_once = false;      ///< one plain run of each, for profilers
  bool sanitize = false;      ///< one run of each in mode sanitize (emulated devices)
  std::chrono::milliseconds deadline{2000};     ///< of each check, and of the timing
  std::chrono::milliseconds first_deadline{0};  ///< the same of the first of two attempts; 0: no other
  int attempts = 2;                             ///< when the worker dies or overruns a deadline
};

/// The vendor's library, timed beside the items.
struct LibraryOutcome {
  std::vector<std::string> rows;
  std::vector<SampleSet> samples;  ///< per row
  std::string message;             ///< why there is no row
  double load_ms = 0, choose_ms = 0;
  double read_ms = 0, start_ms = 0;  ///< of load_ms, where it was opened for this problem
};

/// passed: everything asked for was done (the check reports still say whether the results were right).
struct RunOutcome {
  TrialStatus status = TrialStatus::passed;
  std::string message;                                  ///< names the candidate; empty when passed
  std::vector<std::vector<KernelResources>> resources;  ///< per item, as far as loaded
  std::vector<CheckReport> checks;                      ///< per item to be checked, as far as checked
  std::vector<CheckReport> fresh;                       ///< the same after timing, on data not seen before
  std::vector<SampleSet> samples;                       ///< per item
  std::vector<std::vector<SanitizedLaunch>> sanitized;  ///< per item
  std::vector<EnergySample> energy;                     ///< per item, then per row of the library
  std::string energy_message;                           ///< why there is none
  LibraryOutcome library;
  double longest_ms = 0;  ///< of its checks and its timing
};

/// What a check found: passed, wrong, guard_violation or input_modified, and the sentence that says so.
struct CheckVerdict {
  TrialStatus status = TrialStatus::passed;
  std::string message;
};
CheckVerdict judge(const CheckReport& report);
TrialStatus status_of(FaultKind kind);

/// What the worker spent its time on.
struct WorkerSeconds {
  double prepare = 0;  ///< data, reference and canary of the problem
  double library = 0;  ///< opening the vendor's library, choosing among its algorithms
  double load = 0, check = 0, time = 0, other = 0;
};

/// The parent's only door to the worker. One run at a time; never blocks except in `start` (of a process) and `run`.
class CandidateRunner {
 public:
  explicit CandidateRunner(WorkerClient::Options options);

  /// Begins a session: starts the worker, unless it still runs. Several are spawned before the first is greeted, so
  /// that their contexts are made at once.
  void spawn();
  /// Waits until it is there. Throws Error when no device can be had.
  const DeviceInfo& greet();
  /// Gives the device back; a run under way is forgotten.
  void stop();
  /// The problem every following run is about; sent again to every new worker. A worker that holds exactly this
  /// already, from the session before, keeps its data and reference.
  void set_problem(request::SetProblem problem);

  [[nodiscard]] bool idle() const { return !run_.has_value(); }
  void begin(RunRequest run);
  /// Looks without blocking; the outcome once it is there.
  std::optional<RunOutcome> poll();
  RunOutcome run(RunRequest run);           ///< begin, and wait for the outcome
  std::vector<Ceiling> measure_ceilings();  ///< blocks; needs a problem
  /// Who else uses the device; blocks for milliseconds, and must be idle. A worker that does not answer says nobody.
  std::vector<ForeignProcess> neighbours();

  [[nodiscard]] std::vector<int> fds() const { return worker_.fds(); }
  [[nodiscard]] Clock::time_point deadline() const { return worker_.deadline(); }
  [[nodiscard]] int respawns() const { return worker_.respawns() - respawns_before_; }  ///< in this session
  [[nodiscard]] const WorkerSeconds& seconds() const { return seconds_; }               ///< in this session
  [[nodiscard]] double busy_seconds() const { return seconds_.check + seconds_.time; }
  [[nodiscard]] const reply::ProblemReady& problem_ready() const { return ready_; }

 private:
  static constexpr int kStartsBeforeGivingUp = 3;  ///< of a worker, in a row
  struct Step {
    Request request;
    std::chrono::milliseconds deadline;
  };
  struct Run {
    RunRequest request;
    RunOutcome outcome;
    std::vector<Step> steps;  ///< of this attempt
    std::size_t next = 0;
    std::vector<std::uint32_t> loaded;
    int attempts = 1;
    bool cleaning = false;  ///< unloading after a refusal: the verdict stands
  };

  void plan_steps();
  void model_times();
  void start_again();
  void send_next();
  std::optional<RunOutcome> finish();
  std::optional<RunOutcome> take(WorkerClient::Outcome& event);
  std::optional<RunOutcome> take(Reply& reply);
  std::optional<RunOutcome> take_fault(const reply::Fault& fault);
  std::optional<RunOutcome> lost(WorkerClient::Event event, const std::string& message);
  void not_ready(const std::string& why);
  [[nodiscard]] std::string labels() const;
  void clean_up();

  WorkerClient worker_;
  std::optional<request::SetProblem> problem_;
  reply::ProblemReady ready_;
  std::optional<Run> run_;
  bool worker_ready_ = false;  ///< alive, knows the problem, canary right
  int failed_starts_ = 0;      ///< in a row
  Clock::time_point sent_{};
  WorkerSeconds seconds_;
  int respawns_before_ = 0;
};

}  // namespace kerlab::session
