#pragma once
// Times what is asked for: a configuration, a stored trial, the winner, or every variant; on one problem or a sweep.

#include "session/bench/energy_rows.h"
#include "session/beside/beside.h"
#include "session/find/known_kernels.h"
#include "session/find/shipped.h"
#include "session/run/count_operations.h"
#include "session/run/library_rows.h"
#include "session/run/single.h"

namespace kerlab::session {

struct BenchOptions {
  RigOptions rig;                          ///< target may be empty with `trial`
  std::vector<ProblemArgument> arguments;  ///< may hold lists and ranges
  std::string dtypes;                      ///< "fp16,bf16"
  std::vector<std::string> variants;       ///< "all": every one
  std::string configuration;               ///< "BM=128,BN=64"; needs one variant, or the only one
  std::int64_t trial = 0;                  ///< its configuration and, if the kernel has changed, its stored source
  int rounds = 30;
  bool hot = false;
  bool library = true;         ///< the vendor's library is timed beside each, where there is one
  bool energy = false;         ///< GPUs only: each, and the library, also alone under load for some seconds
  bool full = false;           ///< emulated: every block is executed
  bool once = false;           ///< one plain run for a profiler: no check, no timing, nothing stored
  BesideCommands beside = {};  ///< asked for each problem, after its kernels were timed
  std::filesystem::path shipped = shipped_folder();  ///< of winners to take where nothing is stored
  std::string command, version;
};

/// One line of the table.
struct BenchRow {
  Problem problem;
  Trial trial;
  std::optional<Measurement> measurement;
  double flops = 0, bytes = 0;
  bool cost_from_data = false;  ///< both were counted; else formulas say them
  double roof_us = 0;           ///< theoretical
  bool memory_bound = false;    ///< by that roof
  std::string chosen;  ///< "--config", "winner", "best stored", "shipped winner of 2026-11-22", "default", "trial 12"
  std::string warning;
  Operations operations;            ///< predicted and counted; emulated devices only
  std::vector<LibraryRow> library;  ///< of the same rounds
  std::string library_note;
  std::string temperatures;       ///< of the inputs, where some are hot and others cold; else empty
  std::vector<EnergyRow> energy;  ///< where it was asked for
  std::string energy_message;     ///< why there is none
};

/// `while (session.step()) ...; session.rows()`. A step is one configuration on one problem.
class BenchSession {
 public:
  BenchSession(BenchOptions options, Database& database);
  bool step();
  [[nodiscard]] const std::vector<BenchRow>& rows() const { return rows_; }
  /// Of the commands beside, in the order in which they came.
  [[nodiscard]] const std::vector<BesideAnswer>& beside() const { return beside_; }
  [[nodiscard]] std::size_t total() const { return problems_.size(); }  ///< problems
  [[nodiscard]] std::size_t done() const { return next_; }
  [[nodiscard]] const Rig& rig() const { return rig_; }
  /// Variants and problems left out, with the reason.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  using Choice = KnownKernel;
  static RigOptions completed(BenchOptions& options, const Database& database);
  [[nodiscard]] std::vector<Choice> choices(const Problem& problem);
  [[nodiscard]] KnownKernels known() const { return {database_, options_.shipped, rig_.folder(), rig_.device()}; }
  [[nodiscard]] const VariantSource& source(const Variant& variant);
  void run(const ProblemSetup& setup, const Choice& choice);
  void ask_beside(const ProblemSetup& setup, std::size_t first_row);

  BenchOptions options_;
  Database& database_;
  Rig rig_;
  std::vector<ProblemRequest> problems_;
  std::optional<Ledger> ledger_;
  std::map<std::string, VariantSource> sources_;
  std::vector<BenchRow> rows_;
  std::vector<BesideAnswer> beside_;
  std::vector<std::string> notes_;
  std::size_t next_ = 0;
};

}  // namespace kerlab::session
