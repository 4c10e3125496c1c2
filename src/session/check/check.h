#pragma once
// The thorough check: every recipe, two poison patterns, ten runs with the same bits; on the problem asked for and on
// shapes that break tiled kernels, or on every stored winner's problem. Nothing is timed.

#include <optional>

#include "session/find/shipped.h"
#include "session/run/compile_ahead.h"
#include "session/run/single.h"
#include "session/shapes/adversarial.h"

namespace kerlab::session {

struct CheckOptions {
  RigOptions rig;
  std::vector<ProblemArgument> arguments;
  std::string dtype;
  std::vector<std::string> variants;                 ///< empty: the winner, or without one every variant; "all"
  std::vector<std::string> without_winner;           ///< where none is stored: instead of every variant
  std::string configuration;                         ///< of the one variant; empty: winner's, shipped, default
  bool every_configuration = false;                  ///< all valid ones of the variants
  bool every_value = false;                          ///< so many more that each value of each parameter is among them
  bool only_asked = false;                           ///< no adversarial shapes
  bool fail_fast = false;                            ///< nothing is checked after the first failure
  RowPadding row_padding = {};                       ///< of tensors that variants take with a leading dimension
  bool full = false;                                 ///< emulated: every block is executed
  std::vector<std::string> recipes;                  ///< names of those to run; empty: all of the family's
  bool stored_winners = false;                       ///< of the family, each on its problem; nothing above says which
  std::filesystem::path shipped = shipped_folder();  ///< of winners to take where none is stored
  std::string command, version;
};

/// Configurations to look at, each with the index of its source.
struct ChosenConfigurations {
  std::vector<VariantSource> sources;
  std::vector<std::pair<std::size_t, Configuration>> configurations;
  std::vector<std::string> notes;  ///< variants left out, with the reason; what is not the default
  std::string completion;          ///< of what was typed, see completion_remark; empty: it is valid as it is
};
/// What the options ask for: valid on `asked`. Throws Error (inconclusive) when there is none.
ChosenConfigurations choose_configurations(const CheckOptions& options, const KernelFolder& folder,
                                           const Problem& asked, const DeviceInfo& device, const Database& database);

/// One configuration on one problem.
struct CheckRow {
  Problem problem;
  Trial trial;  ///< passed, or what is wrong; not stored
  bool adversarial = false;
  std::string scope;    ///< emulated: what was executed
  CheckReport report;   ///< empty where it came to none
  std::string command;  ///< "kerlab check ...": exactly this again, as far as the session knows; of what failed
  double seconds = 0;
};

/// A stored trial of the same variant, configuration and problem on this class of device.
struct AccuracyRecord {
  std::int64_t trial = 0;
  double error_ratio = 0;
  std::string source_hash, toolchain, created;
};
/// The oldest first; without `trial` itself.
std::vector<AccuracyRecord> accuracy_history(const Trial& trial, const std::vector<Trial>& of_family);

/// A configuration on its own problem: a stored winner.
struct StoredWinner {
  Problem problem;
  std::size_t source = 0;
  Configuration configuration;
};
struct StoredWinners {
  std::vector<VariantSource> sources;
  std::vector<StoredWinner> winners;
  std::vector<std::string> notes;  ///< those that are no more, with the reason
};
/// The winners of a family on a class of device, as far as today's kernels know them.
StoredWinners stored_winners(const KernelFolder& folder, const DeviceInfo& device, const Database& database);

struct CheckState {
  std::size_t done = 0, total = 0, failed = 0;
  std::size_t compiling = 0;  ///< before the first check: kernels and references that are not there yet
  bool stopped = false;       ///< by `fail_fast`: the rest is not looked at
  std::string label;
};

class CheckSession {
 public:
  CheckSession(CheckOptions options, Database& database);
  /// Checks one configuration on one problem. False: finished.
  bool step();
  [[nodiscard]] CheckState state() const;
  [[nodiscard]] const std::vector<CheckRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::string& completion() const { return chosen_.completion; }
  [[nodiscard]] const Rig& rig() const { return rig_; }

 private:
  struct Job {
    std::uint32_t problem = 0;
    int sms = 0;  ///< of the device that its plan is made for: the rig's, or fewer
    std::size_t variant = 0;
    Configuration configuration;
    Thoroughness thoroughness = Thoroughness::usual;
    Executed executed = Executed::as_usual;  ///< else a problem with more than 2^31 elements
  };
  void choose_problems();
  void take_winners();
  void add_recorded();
  void add_other_dtypes();
  void add_far();
  void add_far(const CheckedProblem& far, std::size_t source, const Configuration& configuration);
  void run_far(const Job& job);
  [[nodiscard]] bool stops_here() const;
  [[nodiscard]] std::size_t end_of_batch() const;
  void compile_together();
  void add_asked(std::size_t source, const Configuration& configuration);
  void add_job(std::size_t problem, std::size_t source, const Configuration& configuration, const CheckedProblem& how);
  void add_small(std::size_t problem, std::size_t source, const Configuration& configuration);
  void run(const Job& job);
  [[nodiscard]] bool is_asked(const Job& job) const { return job.problem == 0 || options_.stored_winners; }
  void leave_out(const Job& job, const std::string& why);
  [[nodiscard]] std::string checked_small() const;
  void add_row(const Job& job, Evaluation result, double seconds);
  [[nodiscard]] std::vector<std::uint32_t> recipes_for(Thoroughness thoroughness) const;
  [[nodiscard]] std::vector<std::uint32_t> chosen_recipes() const;
  void note_stored(const Evaluation& result);

  CheckOptions options_;
  Database& database_;
  Rig rig_;
  Problem asked_;
  std::vector<Problem> problems_;  ///< the one asked for first
  ChosenConfigurations chosen_;
  std::vector<Job> jobs_;  ///< by problem
  std::size_t next_ = 0;
  std::size_t compiled_ = 0;  ///< jobs before this one are, or will be by `ahead_`
  CompileAhead ahead_;
  std::optional<ProblemSetup> setup_;
  std::size_t loaded_ = SIZE_MAX;  ///< problem that the worker has
  std::vector<CheckRow> rows_;
  std::vector<std::string> notes_;
};

}  // namespace kerlab::session
