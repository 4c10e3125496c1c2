#pragma once
// Runs candidates on the worker: load, check, time, unload. A fault becomes an outcome, a broken worker is replaced,
// and whoever was on the device when it died gets one retry alone.

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "session/run/modelled.h"
#include "trial/trial.h"
#include "worker/worker.h"

namespace kerlab::session {

/// The device has no memory for a problem's data, or for its reference.
class NoMemoryError : public Error {
 public:
  using Error::Error;
};

/// What a worker can load. `label` names it in messages: "reg2d BM=128 BN=64".
struct Loadable {
  std::string label;
  Bytes image;
  LaunchPlan plan;
  LaunchPlan small_plan;          ///< on the small problem; no launches: cannot run there
  bool nondeterministic = false;  ///< its runs may differ bit by bit
  bool checked = false;           ///< before, on these data: it is only timed
  /// What its variant's [predicted] says of one run, where the device executes some blocks only.
  PredictedCounts predicted = {};
};

/// What is done with those that are loaded together.
struct Protocol {
  std::vector<std::uint32_t> recipes;  ///< to check first, indices into ProblemPlan::recipes; empty: no check
  bool thorough = false;
  bool hazards = false;  ///< see request::Check
  bool explain = false;  ///< a check that fails looks at which elements are wrong, as a thorough one does
  Sampling sampling = Sampling::automatic;  ///< of checks on an emulated device
  std::optional<TimingSchedule> schedule;   ///< none: no timing
  TimingStage stage = TimingStage::bench;   ///< of the measurements
  bool fresh = false;         ///< after timing (not emulated) each is checked once more, on data not seen before
  double energy_seconds = 0;  ///< each alone under load for so long, GPUs only; 0: not
  bool library = false;       ///< the vendor's library is opened, and timed beside them
  bool count_lines = false;   ///< timing on an emulated device counts by PTX instruction too
  bool run_once = false;      ///< one plain run of each, for profilers
  bool sanitize = false;      ///< one run of each in mode sanitize (emulated devices)
  std::chrono::milliseconds deadline{60000};                ///< of each check, and of the timing
  std::optional<std::chrono::milliseconds> first_deadline;  ///< the same of the first of two attempts
  int attempts = 2;                                         ///< when the worker dies or overruns a deadline
};

/// The vendor's library, timed beside the items.
struct LibraryOutcome {
  std::vector<std::string> rows;
  std::vector<SampleSet> samples;            ///< per row
  std::string message;                       ///< why there is no row
  TrialStatus status = TrialStatus::passed;  ///< else how it broke the worker
  double load_ms = 0, choose_ms = 0;
  double read_ms = 0, start_ms = 0;  ///< of load_ms, where it was opened for this problem
};

/// What the worker said of one of those that were loaded together, as far as it came.
struct ItemOutcome {
  std::vector<KernelResources> resources;
  std::optional<CheckReport> check, fresh;  ///< fresh: after timing, on data not seen before
  std::optional<SampleSet> samples;
  std::vector<SanitizedLaunch> sanitized;
};

/// passed: everything asked for was done (the check reports still say whether the results were right).
struct RunOutcome {
  TrialStatus status = TrialStatus::passed;
  std::string message;  ///< empty when passed
  TrialReason reason = TrialReason::none;
  std::optional<std::size_t> culprit;  ///< who alone was at work; none: any of them, or the library, may be at fault
  std::vector<ItemOutcome> items;
  std::vector<EnergySample> energy;  ///< per item, then per row of the library
  std::string energy_message;        ///< why there is none
  LibraryOutcome library;
  double longest_ms = 0;  ///< of its checks and its timing
};

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

  [[nodiscard]] const DeviceInfo& device() const { return worker_.device(); }
  [[nodiscard]] bool idle() const { return !run_.has_value(); }
  void begin(std::vector<Loadable> items, Protocol protocol);
  /// Looks without blocking; the outcome once it is there.
  std::optional<RunOutcome> poll();
  RunOutcome wait();                        ///< blocks for the outcome of what was begun
  std::vector<Ceiling> measure_ceilings();  ///< blocks; needs a problem
  /// What a kernel of the reference counts; blocks, must be idle, and leaves the worker without a problem. What was
  /// asked last is known. Throws Error where the kernel fails.
  reply::CostCounted count_cost(const request::CountCost& count);
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
    std::vector<Loadable> items;
    Protocol protocol;
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
  [[nodiscard]] std::optional<std::size_t> at_work() const;
  [[nodiscard]] std::string of_library() const;
  void clean_up();

  WorkerClient worker_;
  std::optional<request::SetProblem> problem_;
  reply::ProblemReady ready_;
  std::optional<std::pair<request::CountCost, reply::CostCounted>> counted_;  ///< last
  std::optional<Run> run_;
  bool worker_ready_ = false;  ///< alive, knows the problem, canary right
  int failed_starts_ = 0;      ///< in a row
  Clock::time_point sent_{};
  WorkerSeconds seconds_;
  int respawns_before_ = 0;
};

}  // namespace kerlab::session
