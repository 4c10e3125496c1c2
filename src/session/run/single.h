#pragma once
// One configuration on one problem, from compiling to samples, at once: for bench and check.

#include "session/run/evaluation.h"
#include "session/run/ledger.h"
#include "session/run/prune.h"
#include "session/run/space.h"
#include "session/run/stepped.h"

namespace kerlab::session {

struct SingleOptions : Protocol {
  bool line_info = false;     ///< compiled with line information: another image than the one that is tuned
  bool full = false;          ///< emulated: every block is executed
  bool first_launch = false;  ///< emulated: see Sampling::first_launch
};

/// The runner must have the problem (ProblemLoader::load). What is checked and timed is checked once more after it.
Evaluation run_single(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                      const Configuration& configuration, const SingleOptions& options);
/// The same for a candidate that is already made, of a source that need not be today's: a baseline's.
Evaluation run_candidate(Rig& rig, const ProblemSetup& setup, const SourceBundle& source, Sampling sampling,
                         TrialCandidate made, const SingleOptions& options);
/// The same in company, stepped: the candidate comes first, then `beside`, which are timed in the same rounds (not
/// emulated).
Stepped<Evaluations> run_beside(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                                const Configuration& configuration, SingleOptions options,
                                std::vector<TrialCandidate> beside);

/// Time that check or timing of an unknown configuration may take: two seconds, and a thousand times the roof.
std::chrono::milliseconds generous_deadline(const Rig& rig, const ProblemSetup& setup, std::size_t launches);

std::vector<std::uint32_t> all_recipes(const ProblemPlan& plan);
/// Indices of the recipes that a quick check runs: normal and small_integer, or the first two.
std::vector<std::uint32_t> quick_recipes(const ProblemPlan& plan);

}  // namespace kerlab::session
