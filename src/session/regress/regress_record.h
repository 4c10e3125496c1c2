#pragma once
// `kerlab regress record` and `accept`: kernels become baselines. Only what passes the thorough check may.

#include "db/database.h"
#include "session/find/regress_margins.h"
#include "session/find/shipped.h"
#include "session/find/suite.h"
#include "session/regress/regress_kernel.h"
#include "session/run/compile_ahead.h"
#include "session/values/value_checks.h"

namespace kerlab::session {

/// One problem whose kernels become baselines.
struct RecordProblem {
  std::string family;  ///< as the catalogue takes it
  std::vector<ProblemArgument> arguments;
  std::string dtype;
  std::vector<std::string> variants;  ///< empty: the winner, else the shipped one, else those marked `tune`; "all"
  std::string configuration;          ///< of the one variant; empty: the winner's, the shipped winner's, the default
  double min_tflops = 0;              ///< absolute floor of its baselines; 0: none
};

struct RecordOptions {
  RigOptions rig;
  std::vector<RecordProblem> problems;  ///< empty and no `keys`: the stored winners of the device
  std::vector<std::string> keys;        ///< of `accept`: baselines that are recorded anew
  bool accept = false;
  std::string why;
  bool prune = false;               ///< baselines of the device that are not among what is recorded go away
  std::filesystem::path artifacts;  ///< images by digest are written there as well; empty: not
  bool unchecked_values = false;    ///< not every value of the variants' parameters need have been right once
  std::string repeat;
  std::string command, version;                      ///< for the record
  std::filesystem::path shipped = shipped_folder();  ///< of winners to take where none is stored
};

struct RecordRow {
  std::string key, title, variant, configuration, chosen;
  Trial trial;                        ///< as checked
  bool recorded = false;              ///< false with a passed trial: it was there already, the same
  std::string error;                  ///< why it could not become one; empty: nothing was wrong
  std::vector<FigureChange> changes;  ///< against what was recorded before
  ExitCode code = ExitCode::passed;
};

class RecordSession {
 public:
  RecordSession(RecordOptions options, BaselineFolder folder, Database* database);
  /// Checks or records one kernel, or checks one configuration with values of its parameters that nobody has checked,
  /// or waits a little for compilers. False: finished.
  bool step();
  [[nodiscard]] const std::vector<RecordRow>& rows() const { return rows_; }
  [[nodiscard]] std::size_t total() const { return jobs_.size(); }
  [[nodiscard]] std::size_t done() const { return next_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::string& device() const { return device_; }
  /// "gemm 512x512x512 fp32 nn reg2d", "3 kernels of gemm to compile".
  [[nodiscard]] std::string doing() const;

 private:
  struct Job {
    std::string family;   ///< or folder
    std::string problem;  ///< key
    std::string variant, configuration, chosen;
    std::string why;
    double min_tflops = 0;
  };
  void open_family(const std::string& family);
  void add_winners();
  void add_keys();
  void add_problem(const RecordProblem& problem);
  void add_variant(const Problem& problem, const RecordProblem& asked, const Variant& variant, bool must);
  bool compile_ahead();
  RegressKernel kernel_of(const Job& job);
  /// A job's kernel that has passed its own check.
  struct Passed {
    RegressKernel kernel;
    Evaluation result;
    RecordRow row;
    std::string form;  ///< the variant's, for such a problem
    std::optional<ValueChecks> values;
  };
  std::optional<RecordRow> advance(const Job& job);
  std::optional<RecordRow> check(const Job& job);
  void begin_values();
  void finish_values();
  RecordRow record(const Job& job);
  void keep(Baseline& baseline, const RegressKernel& kernel, RecordRow& row);
  void finish();

  RecordOptions options_;
  BaselineFolder folder_;
  Database* database_;
  BaselineFolder::Lock lock_;
  std::unique_ptr<Rig> rig_;
  std::string family_, device_, device_class_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0, next_ahead_ = 0;  ///< to be recorded, to be compiled
  CompileAhead ahead_;                     ///< kernels of the family of the last of these
  std::optional<ProblemSetup> setup_;
  std::string loaded_;                               ///< key of the problem that the worker has
  std::optional<Passed> passed_;                     ///< the next job's
  std::map<std::string, std::string> values_known_;  ///< by form: what is wrong with a value; empty: nothing
  std::vector<RecordRow> rows_;
  std::vector<std::string> notes_;
};

/// Worst of the rows.
ExitCode record_code(const std::vector<RecordRow>& rows);

}  // namespace kerlab::session
