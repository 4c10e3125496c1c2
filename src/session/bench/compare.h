#pragma once
// `kerlab bench A B`: kernels on the same problem and data, each checked, then timed in the same shuffled rounds. On an
// emulated device times are modelled one by one, and what was counted is compared.

#include "session/find/kernel_home.h"
#include "session/find/known_kernels.h"
#include "session/find/shipped.h"
#include "session/run/ledger.h"
#include "session/run/single.h"
#include "stats/samples.h"
#include "trial/baseline.h"

namespace kerlab::session {

struct CompareOptions {
  RigOptions rig;                          ///< its target is not used
  std::vector<SubjectName> kernels;        ///< each is compared with the first
  std::vector<ProblemArgument> arguments;  ///< of one problem; empty where a trial says it
  std::string dtype;
  int rounds = 30;
  bool hot = false;
  bool full = false;                                 ///< emulated: every block is executed
  std::filesystem::path shipped = shipped_folder();  ///< of winners to take where nothing is stored
  std::string command, version;
};

struct ComparedKernel {
  std::string name;     ///< "gemm/reg2d @HEAD~3 (06a7f52)"
  std::string command;  ///< "kerlab bench gemm/reg2d@HEAD~3 --M 512": this one again
  std::string how;      ///< "as typed", "best stored", "shipped winner of 2026-11-22", "default", "trial 12"
  Trial trial;          ///< stored
  std::optional<Measurement> measurement;  ///< stored
  CheckReport report;
  std::string scope;                 ///< emulated: what was executed to check it
  std::string warning;               ///< of the timing
  std::vector<Figure> figures;       ///< resources; on an emulated device also what was counted
  bool same_source = false;          ///< as the first one's, with all that it includes
  bool same_program = false;         ///< besides, the same configuration, options and launches
  std::optional<PairedRatio> speed;  ///< how many times as fast as the first; of modelled times low = high = ratio
};

struct Comparison {
  Problem problem;
  std::string device, toolchain;
  std::optional<ClockKind> clock;  ///< none: nothing was timed
  double flops = 0, bytes = 0, roof_us = 0;
  bool cost_from_data = false;  ///< flops and bytes were counted; else formulas say them
  bool memory_bound = false;    ///< by the theoretical roof
  std::vector<ComparedKernel> kernels;
  std::vector<std::string> notes;
};

/// `while (session.step()) ...; session.result()`. A step checks one kernel; the last one times all that passed.
class CompareSession {
 public:
  /// Throws UsageError: kernels of other tensors, trials of several problems, a configuration that is not valid.
  CompareSession(CompareOptions options, Database& database);
  bool step();
  [[nodiscard]] const Comparison& result() const { return result_; }
  /// "checking gemm/reg2d", for the screen.
  [[nodiscard]] std::string doing() const;

 private:
  struct Entry {
    std::unique_ptr<KernelHome> home;
    Subject subject;
    Evaluation result;
  };
  static std::vector<Entry> open_homes(const CompareOptions& options, const Database& database);
  [[nodiscard]] const KernelFolder& main_folder() const;
  [[nodiscard]] Problem choose_problem() const;
  void resolve(std::size_t index, const Problem& problem);
  [[nodiscard]] Subject known(const SubjectName& name, const KernelFolder& folder, const Problem& problem);
  void require_same_tensors(const Entry& entry) const;
  void check(std::size_t index);
  void time_together();
  void take_timing(std::size_t index, Evaluation& timed, bool together);
  void compare_times();
  void store_trial(std::size_t index);
  void store();
  void know_cost();

  CompareOptions options_;
  Database& database_;
  std::vector<Entry> entries_;
  std::size_t main_ = 0;  ///< whose reference judges all: the first that is as it is now, else the first
  Rig rig_;
  std::optional<ProblemSetup> setup_;
  std::optional<Ledger> ledger_;
  Comparison result_;
  std::size_t next_ = 0;
  bool finished_ = false;
};

/// What a screen calls a figure: "bank_conflicts" as the counter says, "regs" as it is.
std::string figure_title(const std::string& figure);

}  // namespace kerlab::session
