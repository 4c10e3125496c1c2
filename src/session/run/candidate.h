#pragma once
// A candidate: one configuration of one variant for one problem, made concrete; and its way into the records.

#include <memory>

#include "session/run/problem_setup.h"
#include "trial/trial.h"

namespace kerlab::session {

/// A variant with its source, read once for all its configurations.
struct VariantSource {
  const Variant* variant = nullptr;
  SourceBundle source;
};

/// Everything but the outcome is a pure function of variant, configuration, problem, device and toolchain.
struct TrialCandidate {
  std::size_t variant = 0;  ///< index into the session's sources
  Configuration configuration;
  Trial trial;  ///< sealed: its key is known
  LaunchPlan plan;
  LaunchPlan small_plan;             ///< the same program on the small problem; no launches: another one
  std::string label;                 ///< "reg2d BM=128 BN=64": in every message about it
  std::vector<std::string> options;  ///< for NVRTC
  Bytes image;                       ///< once compiled, until measured; of the best until the session ends
  std::string twin_key;              ///< digest of image and plan: equal for equal programs
  bool nondeterministic = false;     ///< its variant says that runs may differ bit by bit
};

TrialCandidate make_candidate(const Family& family, const VariantSource& source, std::size_t index,
                              const Configuration& configuration, const Problem& problem, const DeviceInfo& device,
                              const std::string& toolchain);

/// The launch plan of the candidate on the setup's small problem; empty where there is none, where the configuration is
/// not valid for it, or where it would be another program.
LaunchPlan small_plan(const Family& family, const Variant& variant, const TrialCandidate& candidate,
                      const ProblemSetup& setup, const DeviceInfo& device);

/// What the device loads: the cubin, or for an emulated device the PTX with what only ptxas knows.
Bytes loadable_image(CompileResult& compiled, const DeviceInfo& device);

/// One text that holds a source and its includes, for the database; and back. The bundle's hash stays the same.
std::string pack_source(const SourceBundle& source);
SourceBundle unpack_source(const std::string& packed, const std::string& path, const std::string& hash);

TrialStatus status_of(CompileStatus status);

/// Faster than the theoretical roof by more than 2 %.
bool is_impossible(double us, const ProblemPlan& plan);
std::string impossible_message(const std::string& label, double us, const ProblemPlan& plan);

/// Fills in what the compiler and the driver said about the heaviest kernel of the plan.
void record_resources(TrialCandidate& candidate, const std::vector<KernelResources>& resources);
/// "6 of 1024 blocks, and all of 391x263x1100": what an emulated check executed; empty for a check on a GPU.
std::string check_scope(const CheckReport& report, const std::optional<SmallProblem>& small);
/// Fills in what the check found; `report` may be of a failed check.
void record_check(Trial& trial, const CheckReport& report);
/// The reports of a check as JSON: a list with one object per recipe and output.
std::string check_json(const CheckReport& report);

/// "normal v1 seed 1", as measurements name it.
std::string measured_recipe(const Recipe& recipe);

/// What the device said of itself while the samples were taken; empty: nothing.
std::string conditions_text(const SampleSet& samples);

/// Empty when nothing was sampled.
std::optional<Measurement> make_measurement(const SampleSet& samples, const std::string& stage, const Recipe& recipe,
                                            const DeviceInfo& device);

}  // namespace kerlab::session
