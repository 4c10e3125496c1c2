#pragma once
// Failed trials, those that failed alike together: how many there are, why, how to see it again, and which constraint
// would have excluded them.

#include <string>
#include <vector>

#include "search/exclusion.h"
#include "trial/trial.h"

namespace kerlab::session {

/// Trials of one variant (one source, problem, device, toolchain) with one status and one cause.
struct FailureGroup {
  Trial first;
  std::string cause;                  ///< the first one's message: one line, without its label
  std::vector<std::int64_t> trials;   ///< ids of all of them
  std::size_t healthy = 0;            ///< trials of the variant that passed
  std::vector<Exclusion> exclusions;  ///< see find_exclusions
};

/// The first line of a trial's message: "kernel 'gemm': an illegal memory access".
std::string failure_cause(const Trial& trial);
/// The same for all that failed alike: numbers and addresses are "#", details after a semicolon are left out.
std::string normal_cause(const Trial& trial);

/// Final trials that did not pass, the most first, those never launched last. Trials that passed are the healthy ones.
std::vector<FailureGroup> group_failures(const std::vector<Trial>& trials);

/// They failed on the small problem, which is checked first.
bool on_small_problem(const FailureGroup& group);

/// "BM * STAGES <= 512: 14 of 14, no healthy one of 130; by chance: 2e-12".
std::string exclusion_text(const FailureGroup& group, const Exclusion& exclusion);
/// A [[constraint]] ready to paste into the variant's .toml.
std::string constraint_toml(const FailureGroup& group, std::size_t exclusion);

/// The check of this configuration on this problem alone: "kerlab check gemm --variant reg2d --config BM=64 --M 512 ...
/// --only". `target`: the family's name or folder.
std::string check_command(const Trial& trial, const std::string& target);

/// The command that shows the fault again. `target`: the family's name or folder; `options`: " --db FILE".
std::string reproduction(const Trial& trial, const std::string& target, const std::string& options);

}  // namespace kerlab::session
