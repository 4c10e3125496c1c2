#pragma once
// One kernel that a command is about, as typed: FAMILY[/VARIANT][:NAME=VALUE,...] or the id of a trial; and resolved.

#include <optional>

#include "db/database.h"
#include "session/find/subject_name.h"
#include "session/run/arguments.h"
#include "session/run/candidate.h"
#include "spec/space/completed_configuration.h"

namespace kerlab::session {

/// A configuration of a variant on a problem.
struct Subject {
  Problem problem;
  VariantSource source;
  Configuration configuration;
  std::string how;         ///< "trial 12", "as typed", "winner", "default", "as typed; to be valid MIN_BLOCKS 2 -> 1"
  std::string completion;  ///< completion_remark of what was typed or of the defaults; empty: it is valid as it is
  std::optional<Trial> trial;  ///< stored: the one named, or the newest of this variant, configuration and problem
  std::string note;            ///< "reg2d.cu has changed since trial 12: its stored source is inspected"
};

/// The family that a subject is of, as Catalogue::find takes it. `database`: for the id of a trial; may be null. Throws
/// UsageError when there is no such trial, or a revision is named (KernelHome reads those).
std::string family_of(const SubjectName& name, const Database* database);

/// The newest winner of a problem on any device.
std::optional<Trial> newest_winner(const Problem& problem, const Database* database);

/// `arguments`, `dtype`: the problem as typed; must be empty for a trial. Throws UsageError: a configuration that is
/// not valid, a variant to be named because there are several and no winner is stored.
Subject resolve_subject(const SubjectName& name, const std::vector<ProblemArgument>& arguments,
                        const std::string& dtype, const KernelFolder& folder, const DeviceInfo& device,
                        const Database* database);

/// The same on a problem that is known already; `name` is no trial's.
Subject resolve_subject(const SubjectName& name, const Problem& problem, const KernelFolder& folder,
                        const DeviceInfo& device, const Database* database);

/// The same of the source as it is now, whatever was stored of another: without a variant the only one, else the newest
/// winner's in its configuration, else the first rung; of a trial its variant, configuration and problem. `trial` stays
/// empty.
Subject todays_subject(const SubjectName& name, const std::vector<ProblemArgument>& arguments, const std::string& dtype,
                       const KernelFolder& folder, const DeviceInfo& device, const Database* database);

/// How a completed configuration was chosen: `how`, and what was changed to make it valid.
std::string how_completed(const std::string& how, const CompletedConfiguration& completed);
/// Says on stderr what was changed to make a configuration valid, before it is run; says nothing where nothing was.
void announce_completion(const std::string& variant, const std::string& completion);

/// The shortest "BM=64,BN=128" that complete_configuration makes this configuration of: values that differ from the
/// variant's defaults; all of them where constraints would choose others. Empty: the default.
std::string short_configuration(const Variant& variant, const Problem& problem, const DeviceInfo& device,
                                const Configuration& configuration);

/// A problem as options: " --M 4096 --N 4096 --K 64 --dtype bf16", with flags and scalars that are not at their
/// defaults.
std::string options_of(const Problem& problem, const Family& family);

}  // namespace kerlab::session
