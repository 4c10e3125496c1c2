#pragma once
// `kerlab regress run`: today's kernels against their baselines. Right and as exact as before first; then, on an
// emulated device, everything it counts, and on a device that measures time the gate on times.

#include <map>

#include "db/database.h"
#include "session/find/regress_margins.h"
#include "session/regress/regress_kernel.h"
#include "session/regress/time_gate.h"
#include "session/run/compile_ahead.h"
#include "trial/regress_run.h"

namespace kerlab::session {

struct RegressOptions {
  RigOptions rig;                 ///< the target is the baselines'; `auto` never means an emulated device here
  std::vector<std::string> only;  ///< keys, or parts of keys; empty: all
  bool rerun = false;             ///< also what is the same program as it was
  bool changed_only = false;      ///< a program that is as it was passes, even where its check is another one
  bool strict_toolchain = false;  ///< what a new compiler made worse counts as a regression
  bool against_stored = false;    ///< stored times are a floor, where the fingerprint is identical
  Margins margins;
  GateOptions gate;                 ///< of times; its margin is that of `margins`
  std::filesystem::path artifacts;  ///< images by digest, besides the database; empty: none
  std::string repeat;               ///< options that a command must repeat, each with a space before it
  std::string command, version;
};

/// Baselines that are of `device_class` and that `only` names, by family and problem. Throws UsageError when `only`
/// names something that there is not, among those that cannot be read either.
std::vector<Baseline> chosen_baselines(const BaselineFolder::Listing& all, const std::vector<std::string>& only,
                                       const std::string& device_class);

struct RegressState {
  std::size_t done = 0, total = 0, failed = 0;
  std::string label;
  std::string doing;  ///< besides looking at one baseline after the other: "3 kernels of gemm to compile"
};

class RegressSession {
 public:
  /// Opens the device. Throws Error (exit code 5) when there is no baseline of that name, or none for the device.
  /// `database`: for the history; may be null.
  RegressSession(RegressOptions options, BaselineFolder folder, Database* database);
  ~RegressSession();
  /// Looks at one baseline, waits a little for compilers, or times one pair in one process. False: finished. An
  /// interruption that ends a wait is thrown (Error).
  bool step();
  /// Interrupted: what has a verdict keeps it and goes into the history; what was still to be timed has none.
  void end_here();
  [[nodiscard]] RegressState state() const;
  /// Rows so far, worst first.
  [[nodiscard]] RegressReport report() const;

 private:
  struct Timed;  ///< what waits for the gate on times
  RegressRow examine(const Baseline& baseline);
  void open_family(const Baseline& baseline);
  bool open_ahead(const Baseline& baseline);
  [[nodiscard]] std::vector<CompileRequest> to_compile(const Baseline& first) const;
  void open_problem(const Problem& problem, bool with_data);
  void examine_code(const Baseline& baseline, RegressKernel& today, RegressRow& row);
  bool check(const Baseline& baseline, RegressKernel& today, bool count, Evaluation& result, RegressRow& row);
  void compare_accuracy(const Baseline& baseline, const Evaluation& today, RegressRow& row);
  void gate_figures(const Baseline& baseline, const Evaluation& today, RegressRow& row);
  Evaluation run_stored(const Baseline& baseline, bool with_check, bool by_line);
  void explain(const Baseline& baseline, const RegressKernel& today, RegressRow& row);
  void explain_lines(const Baseline& baseline, const RegressKernel& today, RegressRow& row);
  void keep_for_timing(const Baseline& baseline, const Evaluation& checked, RegressRow& row);
  void begin_gate();
  void take_times(const GateRun& run);
  void judge_absolute(const Baseline& baseline, double flops, RegressRow& row);
  void explain_timed(const Baseline& baseline, RegressRow& row);
  void choose_slowest();
  void count_next();
  void count_on_twin(const Baseline& baseline, RegressRow& row);
  void keep_history();

  RegressOptions options_;
  BaselineFolder folder_;
  Database* database_;
  std::vector<Baseline> baselines_;
  std::size_t next_ = 0;
  std::unique_ptr<Rig> rig_;
  std::string family_;                 ///< that the rig is of
  CompileAhead ahead_;                 ///< kernels of the family that will have to run
  std::string ahead_of_;               ///< its target
  std::optional<TimeGate> gate_;       ///< while it times
  std::vector<std::size_t> to_count_;  ///< of `timed_`: whose work is counted, the slowest last
  std::optional<ProblemSetup> setup_;
  request::SetProblem data_;  ///< of the problem, once the worker has it
  std::string problem_key_;
  bool loaded_ = false;
  std::vector<RegressRow> rows_;
  std::map<std::string, std::vector<Figure>> figures_;  ///< of today, by key
  std::map<std::string, std::string> source_hashes_;    ///< the same
  std::vector<Timed> timed_;
  RegressReport head_;  ///< without rows
  Clock::time_point begun_ = Clock::now();
  bool history_kept_ = false;
};

/// 0 passed; else the code of the worst verdict that `fail_on` names (2, 3, 4, 5). What the tool itself could not do is
/// 1, an interruption 130, and where not one kernel could be compared 5, whatever `fail_on` says.
ExitCode regress_code(const RegressReport& report, const std::vector<int>& fail_on);
ExitCode code_of(RegressVerdict verdict);

/// Orders rows: worst verdict first, then what changed most.
void sort_rows(std::vector<RegressRow>& rows);

}  // namespace kerlab::session
