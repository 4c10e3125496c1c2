#pragma once
// What the lab's next run is about: kernel, problem and configuration as chosen so far. Values: a change gives a new
// state, so that the old one can be gone back to.

#include "session/find/subject.h"

namespace kerlab::session {

struct LabState {
  std::string target;                      ///< a family's name or folder; empty: no kernel was chosen
  std::string variant;                     ///< empty only without a target
  std::vector<ProblemArgument> arguments;  ///< of the problem, as typed, one for each name
  std::string dtype;                       ///< empty: the family's first that the device supports
  std::vector<std::pair<std::string, std::string>> parameters;  ///< typed ones; others take their defaults

  /// "gemm/reg2d"
  [[nodiscard]] std::string kernel() const { return target + "/" + variant; }
  /// "BM=128,BN=64": what complete_configuration takes.
  [[nodiscard]] std::string configuration() const;
  /// For resolve_subject.
  [[nodiscard]] SubjectName subject() const;
};

/// Another kernel: "gemm/reg2d", "gemm" (its rung with the lowest number), "./my_op". Sizes, flags, scalars, dtype and
/// parameters stay as far as it knows them, values that it does not list go. `folder`: of the name.
LabState with_kernel(const LabState& state, const SubjectName& name, const KernelFolder& folder);

/// "M 4096 N=4K dtype bf16 BM=128": dimensions, flags, scalars, dtype and parameters; "NAME=" or "NAME default" goes
/// back to the default. Throws UsageError: an unknown name (nearest named), a value that is not one of its own.
LabState with_settings(const LabState& state, const KernelFolder& folder, const std::vector<std::string>& words);

/// The rung `steps` above (below: negative) that can do the problem on the device. Throws UsageError where there is
/// none, naming the rungs that cannot and why.
LabState with_rung(const LabState& state, const KernelFolder& folder, const DeviceInfo& device, int steps);

/// A parameter with the values to try.
struct ParameterChoice {
  std::string name;
  std::vector<std::int64_t> values;
};
/// "BM=64..256", "STAGES 2..6", "BM=64,128", "BM": of the values that the variant lists. Throws UsageError when nothing
/// listed is meant.
std::vector<ParameterChoice> parse_choices(const Variant& variant, const std::vector<std::string>& words);

}  // namespace kerlab::session
