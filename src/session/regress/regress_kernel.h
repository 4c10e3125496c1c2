#pragma once
// Today's kernel that a baseline stands for, the baseline's own old one, and what a run of either showed.

#include "session/find/figures.h"
#include "session/regress/regress_folder.h"
#include "session/run/single.h"
#include "trial/baseline.h"

namespace kerlab::session {

/// The baseline has no counterpart any more (exit code 5).
class NotComparable : public Error {
 public:
  explicit NotComparable(const std::string& message) : Error(message, ExitCode::no_baseline) {}
};

/// A configuration of a variant on a problem, ready to be compiled.
struct RegressKernel {
  Problem problem;
  VariantSource source;
  Configuration configuration;
  TrialCandidate candidate;
};

/// Today's kernel of what a baseline names. Throws NotComparable: variant, parameter, value or problem is gone, a
/// constraint rejects the configuration, or the family's tensors are others.
RegressKernel todays_kernel(const Baseline& baseline, const Rig& rig);
RegressKernel make_kernel(const Problem& problem, const Variant& variant, const Configuration& configuration,
                          const Rig& rig);

/// The baseline's own kernel: its options and launches, for the source that goes with it.
TrialCandidate stored_candidate(const Baseline& baseline, const Rig& rig);

/// Same text, options and launches: with the same compiler the same program.
bool same_code(const Baseline& baseline, const TrialCandidate& today);

/// What a kernel that did not pass, in its check or while it was timed, means for the run.
RegressVerdict verdict_of(TrialStatus status);

/// A GPU, or what a script says: not an emulated device, which counts.
bool measures_time(const DeviceInfo& device);

/// Digest of everything that a result is checked with: the problem's data and tolerances, the reference's source,
/// kernels/common/lab.cu, the version of the check.
std::string check_identity(const ProblemSetup& setup, const Rig& rig);
/// Version of what counts and models; figures of different ones are not compared.
std::string counted_by(const DeviceInfo& device);

/// The text record of a kernel that has passed. `result`: checked, and counted or timed.
Baseline make_baseline(const RegressKernel& kernel, const Evaluation& result, const ProblemSetup& setup,
                       const Rig& rig);

/// "emu-h200-132sm/gemm/reg2d-256x256x256-fp32-nn"
std::string baseline_key(const Problem& problem, const Family& family, const Variant& variant,
                         const DeviceInfo& device);

}  // namespace kerlab::session
