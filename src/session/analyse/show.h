#pragma once
// One trial out of the database, with what can be said about it without its device: for `kerlab show`.

#include "db/database.h"
#include "session/analyse/trial_facts.h"
#include "session/run/arguments.h"

namespace kerlab::session {

/// Throws UsageError that names the database and says how to list its trials when there is no such trial.
Trial find_trial(const Database& database, std::int64_t id);

/// Winners of a family, newest first, that agree with all that was typed: `--M 4K` asks for M=4096 in the problem. An
/// empty dtype agrees with every one. Throws UsageError, with the winners there are, when none agrees.
std::vector<Decision> find_winners(const Database& database, const std::string& family, const std::string& dtype,
                                   const std::vector<ProblemArgument>& arguments);

/// FLOPs and roof need the family's files, looked for in `kernels` and the shipped folder; without them they are left
/// out.
TrialFacts trial_facts(const Database& database, const Trial& trial, const KernelPlaces& kernels);

}  // namespace kerlab::session
