#pragma once
// A loaded candidate: its module, its workspaces, and its launches bound to each set of the problem's data.

#include <map>
#include <string_view>
#include <vector>

#include "device/module_variables.h"
#include "verify/pitched_tensors.h"
#include "verify/problem_data.h"

namespace kerlab::verify {

class Candidate {
 public:
  /// Loads eagerly and asks for every kernel's resources. Throws DeviceFault (load_failed, out_of_memory,
  /// launch_failed for a launch that the device cannot do), Error for a plan that does not fit the problem.
  Candidate(ProblemData& data, std::span<const std::byte> image, std::string_view label, LaunchPlan plan);

  [[nodiscard]] const std::vector<KernelResources>& resources() const { return resources_; }
  [[nodiscard]] const LaunchPlan& plan() const { return plan_; }
  /// All launches of one run, workspace initialisation included. Stays valid as long as the candidate. Throws Error
  /// where its plan says a pitch: such rows are checked, never timed.
  const std::vector<BoundLaunch>& launches(int set);
  /// The same as it is timed: hot inputs are those of set 0.
  const std::vector<BoundLaunch>& timed_launches(int set);
  [[nodiscard]] std::vector<NamedBuffer> workspaces() const;
  /// Those that are zero before the first run, and that every run must leave so.
  [[nodiscard]] std::vector<NamedBuffer> zeroed_workspaces() const;
  /// Where its plan says a pitch, the tensors that it works on in place of the problem's.
  [[nodiscard]] const PitchedTensors& pitched() const { return pitched_; }
  /// Those that nobody initialises hold the pattern (queued): what was there by chance must not matter.
  void poison_workspaces(std::uint32_t pattern);
  /// What is not timed, for the inputs of a set (queued): tensors go into the program's variables, prepare launches
  /// run. Part of `run` and `launches`; again after `poison_workspaces`, where launches are run that were got before
  /// it.
  void make_ready(int set);
  /// What `__device__` variables of the module hold that is not what they held when it was loaded, as a sentence about
  /// the first; empty: nothing. They are given their first values again. Waits for the device where there are any.
  std::string restore_variables();
  /// Runs once on a set (queued). An emulated device executes only some blocks in modes check and count, and reports.
  /// What it has written to rows with gaps between them lies in the set afterwards, and is reported of that.
  std::vector<LaunchReport> run(int set, LaunchMode mode);
  /// The first launch of a run alone, after what initialises workspaces: some of its blocks (an emulated device).
  LaunchReport run_first(int set);
  /// One launch, whose blocks are independent of each other, and nothing before it (emulated devices know).
  /// `unused`: workspaces of so many bytes are taken for none: what is left where a configuration needs none.
  [[nodiscard]] bool can_be_sampled(std::int64_t unused = 0) const;
  /// It has run before: nothing of it is loaded lazily any more.
  [[nodiscard]] bool warm() const { return warm_; }

 private:
  void prepare();
  void keep_variables();
  [[nodiscard]] std::vector<BoundLaunch> bind(const std::vector<Launch>& launches, Addresses addresses) const;
  [[nodiscard]] std::vector<BoundLaunch> bind_all(const Addresses& tensors) const;
  const std::vector<BoundLaunch>& bound(int set);

  ProblemData& data_;
  LaunchPlan plan_;
  LoadedModule module_;
  std::vector<KernelResources> resources_;
  std::vector<GuardedBuffer> workspaces_;
  PitchedTensors pitched_;
  struct Variable {
    ModuleVariable place;
    std::vector<std::byte> first;  ///< what it held
  };
  std::vector<Variable> variables_;
  std::vector<ModuleVariable> symbols_;  ///< of the plan, in its order
  std::map<int, std::vector<BoundLaunch>> bound_, timed_;
  bool warm_ = false;
};

}  // namespace kerlab::verify
