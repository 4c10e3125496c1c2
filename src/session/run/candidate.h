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

/// Its image is there once compiled, until measured; of the best until the session ends. Everything else but the
/// outcome is a pure function of variant, configuration, problem, device and toolchain.
struct TrialCandidate : Loadable {
  std::size_t variant = 0;  ///< index into the session's sources
  Configuration configuration;
  Trial trial;                       ///< sealed: its key is known
  std::vector<std::string> options;  ///< for NVRTC
  std::string twin_key;              ///< digest of image and plan: equal for equal programs
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

/// Fills in what the compiler and the driver said about the heaviest kernel of the plan.
void record_resources(TrialCandidate& candidate, const std::vector<KernelResources>& resources);
/// The reports of a check as JSON: a list with one object per recipe and output.
std::string check_json(const CheckReport& report);

/// "normal v1 seed 1", as measurements name it.
std::string measured_recipe(const Recipe& recipe);

/// What the device said of itself while the samples were taken; empty: nothing.
std::string conditions_text(const SampleSet& samples);

/// Empty when nothing was sampled.
std::optional<Measurement> make_measurement(const SampleSet& samples, TimingStage stage, const Recipe& recipe,
                                            const DeviceInfo& device);

}  // namespace kerlab::session
