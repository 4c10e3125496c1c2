#pragma once
// What one step of one parameter would do to a kernel: neighbours compiled and counted on the emulated device.

#include "model/what_if.h"
#include "session/analyse/inspect.h"

namespace kerlab::session {

/// What changes first, before anything is compiled.
enum class StepKind : std::uint8_t { tile, stage, threads, other };

/// A valid configuration that differs in one parameter, by the least step up or down that is valid.
struct Step {
  std::size_t parameter = 0;  ///< of the variant
  bool up = false;
  Configuration configuration;
  StepKind kind = StepKind::other;  ///< tile: the grid is another; stage: only the shared memory; threads: of a block
  std::int64_t blocks = 0;          ///< of all launches
};

/// Every step there is, by parameter, up before down.
std::vector<Step> steps_from(const Family& family, const Variant& variant, const Problem& problem,
                             const DeviceInfo& device, const Configuration& configuration);

/// The `most` steps that bear most on what holds the kernel back, one of every parameter before a second of any: what
/// was timed before, then by kind (stages where waits are not covered, tiles where a unit is busy or SMs have nothing
/// to do), then by the file's order. Where SMs have nothing to do, those with more blocks come first of their
/// parameter.
std::vector<Step> most_telling(std::vector<Step> steps, const Variant& variant, const Inspection& from,
                               const DeviceInfo& device, const std::vector<std::string>& timed, std::size_t most);

/// Compiles and counts at most `most` of them, fastest first. The rig has the problem loaded. Ratios of what was timed
/// on a GPU stand beside the modelled ones. `database` may be null. `use_cache`: the rig's. Those that fail say why.
Stepped<std::vector<WhatIf>> what_if(Rig& rig, const ProblemSetup& setup, const Subject& subject,
                                     const Inspection& from, const Database* database, std::size_t most,
                                     bool use_cache);

/// The launch that takes longest, repetitions included. There must be one.
const LaunchInspection& heaviest(const Inspection& inspection);

}  // namespace kerlab::session
