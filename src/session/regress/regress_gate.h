#pragma once
// `kerlab regress run`: today's kernels against their baselines. Right and as exact as before first; then, on an
// emulated device, everything it counts, and on a device that measures time the gate on times.

#include <functional>
#include <map>

#include "db/database.h"
#include "session/find/regress_margins.h"
#include "session/regress/regress_kernel.h"
#include "session/regress/time_gate.h"
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
};

class RegressSession {
 public:
  /// Opens the device. Throws Error (exit code 5) when there is no baseline of that name, or none for the device.
  /// `database`: for the history; may be null.
  RegressSession(RegressOptions options, BaselineFolder folder, Database* database);
  ~RegressSession();
  /// Looks at one baseline. False: finished. An interruption that ends a wait is thrown (Error).
  bool step();
  /// Interrupted: what has a verdict keeps it and goes into the history; what was still to be timed has none.
  void end_here();
  [[nodiscard]] RegressState state() const;
  /// Rows so far, worst first.
  [[nodiscard]] RegressReport report() const;
  /// Told before a long part: "timing 12 pairs".
  std::function<void(const std::string&)> progress = [](const std::string&) {};

 private:
  struct Timed;  ///< what waits for the gate on times
  RegressRow examine(const Baseline& baseline);
  void open_family(const Baseline& baseline);
  void compile_family(const Baseline& first);
  void open_problem(const Problem& problem, bool with_data);
  void examine_code(const Baseline& baseline, RegressKernel& today, RegressRow& row);
  bool check(const Baseline& baseline, RegressKernel& today, bool count, SingleResult& result, RegressRow& row);
  void compare_accuracy(const Baseline& baseline, const SingleResult& today, RegressRow& row);
  void gate_figures(const Baseline& baseline, const SingleResult& today, RegressRow& row);
  SingleResult run_stored(const Baseline& baseline, bool with_check, bool by_line);
  void explain(const Baseline& baseline, const RegressKernel& today, RegressRow& row);
  void explain_lines(const Baseline& baseline, const RegressKernel& today, RegressRow& row);
  void keep_for_timing(const Baseline& baseline, const SingleResult& checked, RegressRow& row);
  void gate_all_times();
  void judge_absolute(const Baseline& baseline, double flops, RegressRow& row);
  void explain_timed(const Baseline& baseline, RegressRow& row);
  void count_slowest();
  void count_on_twin(const Baseline& baseline, RegressRow& row);
  void keep_history();

  RegressOptions options_;
  BaselineFolder folder_;
  Database* database_;
  std::vector<Baseline> baselines_;
  std::size_t next_ = 0;
  std::unique_ptr<Rig> rig_;
  std::string family_;  ///< that the rig is of
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
  bool finished_ = false, history_kept_ = false;
};

/// 0 passed; else the code of the worst verdict that `fail_on` names (2, 3, 4, 5). What the tool itself could not do is
/// 1, an interruption 130, and where not one kernel could be compared 5, whatever `fail_on` says.
ExitCode regress_code(const RegressReport& report, const std::vector<int>& fail_on);
ExitCode code_of(RegressVerdict verdict);

/// Orders rows: worst verdict first, then what changed most.
void sort_rows(std::vector<RegressRow>& rows);

}  // namespace kerlab::session
