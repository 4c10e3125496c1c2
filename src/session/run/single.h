#pragma once
// One configuration on one problem, from compiling to samples, at once: for bench and check.

#include "session/run/ledger.h"
#include "session/run/prune.h"
#include "session/run/space.h"

namespace kerlab::session {

struct SingleOptions {
  std::vector<std::uint32_t> recipes;  ///< to check; empty: no check
  bool thorough = false;
  bool explain = false;                    ///< a check that fails says where it is wrong, as a thorough one does
  std::optional<TimingSchedule> schedule;  ///< none: no timing
  bool library = false;                    ///< the vendor's library is timed in the same rounds
  double energy_seconds = 0;               ///< alone under load for so long, GPUs only; 0: not
  bool run_once = false;
  bool count_lines = false;     ///< emulated and timed: counts by PTX instruction too
  bool line_info = false;       ///< compiled with line information: another image than the one that is tuned
  bool sanitize = false;        ///< emulated: one run in mode sanitize
  bool full = false;            ///< emulated: every block is executed
  std::vector<RunItem> beside;  ///< timed in the same rounds (not emulated); checked before on the same problem
  std::chrono::milliseconds deadline{60000};
  int attempts = 2;  ///< when the worker dies or overruns the deadline
};

struct SingleResult {
  TrialCandidate candidate;                ///< its trial carries status, message, resources, check
  std::optional<Measurement> measurement;  ///< not stored yet
  std::vector<SampleSet> beside;           ///< of those timed in the same rounds, where all went well
  std::string warning;                     ///< of the timing
  LibraryOutcome library;                  ///< where it was asked for
  std::vector<EnergySample> energy;        ///< of the candidate, then of the library's rows
  std::string energy_message;              ///< why there is none
  std::string scope;                       ///< of an emulated check: what was executed
  CheckReport report;                      ///< of the check, where there was one
  std::vector<CountedLaunch> counted;      ///< emulated and timed: what a run executes
  std::vector<KernelResources> resources;  ///< of the kernels, as loaded
  std::vector<SanitizedLaunch> sanitized;  ///< where it was asked for
  std::string compile_log;                 ///< first error of the compiler; empty: it compiled
  double compile_s = 0;                    ///< waited for the compiler
};

/// The runner must have the problem (ProblemLoader::load).
SingleResult run_single(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                        const Configuration& configuration, const SingleOptions& options);
/// The same for a candidate that is already made, of a source that need not be today's: a baseline's.
SingleResult run_candidate(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling,
                           TrialCandidate made, const SingleOptions& options);

/// Time that check or timing of an unknown configuration may take: two seconds, and a thousand times the roof.
std::chrono::milliseconds generous_deadline(const Rig& rig, const ProblemSetup& setup, std::size_t launches);

std::vector<std::uint32_t> all_recipes(const ProblemPlan& plan);
/// Indices of the recipes that a quick check runs: normal and small_integer, or the first two.
std::vector<std::uint32_t> quick_recipes(const ProblemPlan& plan);

}  // namespace kerlab::session
