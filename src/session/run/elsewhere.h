#pragma once
// A configuration on problems other than the one that was asked for, and as for a device of fewer multiprocessors:
// wrong at edges, for a residue or between two tiles of a persistent block, a winner would be one that is wrong.

#include "session/run/single.h"
#include "session/shapes/checked_problem.h"

namespace kerlab::session {

/// As prepare_problem, without a small problem to be checked first: for what is small itself. It is never timed, and
/// its cost is what the formulas say, at most: nothing is compared with it. Throws NoMemoryError when it is larger than
/// the device's memory.
ProblemSetup prepare_alone(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device);

/// Indices of the recipes that a problem meets which is looked at so thoroughly.
std::vector<std::uint32_t> recipes_of(const ProblemPlan& plan, Thoroughness thoroughness);

/// What else is recorded of a family whose outputs are: problems of the same dtype, and with `same_flags` of the same
/// flags and scalars, as they stand in its folder. None of a family that has a reference.
std::vector<Problem> recorded_elsewhere(const Family& family, const Problem& asked, bool same_flags);

/// Why a configuration that is valid for the problem, or its reference, cannot be launched on it: an argument of 32
/// bits is too short, a launch would be repeated more often than it may. Empty: nothing hinders it.
std::string why_no_plan(const KernelFolder& folder, const Variant& variant, const Problem& problem,
                        const Configuration& configuration, const DeviceInfo& device);

/// As run_single, with the plan that is made for `device`, which may have fewer multiprocessors than the rig's.
Evaluation run_single_for(Rig& rig, const ProblemSetup& setup, const VariantSource& source,
                          const Configuration& configuration, const SingleOptions& options, const DeviceInfo& device);

/// A problem that nobody asked for, the device that its plan is made for, and how it is looked at there.
struct Elsewhere {
  Problem problem;
  DeviceInfo device;
  Thoroughness thoroughness = Thoroughness::usual;
  Executed executed = Executed::as_usual;  ///< else of one with more than 2^31 elements in a tensor
};

/// The configuration there. Its setup becomes the runner's. None: it cannot be told, and `why_not` says why: it cannot
/// be launched, or there is no memory for it; where it is sampled blocks depend on each other, or the host refuses the
/// addresses. Throws Error of any other cause, and where it is interrupted.
std::optional<Evaluation> check_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                          const Elsewhere& on, std::string& why_not);

/// The winner of a tune on the problems of a thorough check, those with the flags asked for; each takes a second or so,
/// and all are waited for. What is wrong, and on which; none: nothing. Afterwards the runner has another problem.
std::optional<Ending> fault_elsewhere(Rig& rig, const VariantSource& source, const Configuration& configuration,
                                      const Problem& asked);

}  // namespace kerlab::session
