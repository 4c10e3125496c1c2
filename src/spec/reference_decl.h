#pragma once
// What family.toml, and recordings beside it, say of what outputs should be.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan/problem_plan.h"
#include "spec/launch_decl.h"

namespace kerlab::spec {

struct ToleranceDecl {
  std::string rule = "dot";          ///< dot: length-K sum; rowwise: relative to the reference's scale; exact
  Expression length;                 ///< n
  Expression promoted_every;         ///< fp8: terms that are added up before the sum goes to fp32; empty or 0: all
  std::optional<DType> accumulator;  ///< default fp32
  SourceLocation where;
};

struct ReferenceDecl {
  std::string output;
  LaunchDecl launch;             ///< its expressions may use `count`
  Expression outputs_per_index;  ///< empty: 1
  ToleranceDecl tolerance;
  std::optional<double> rows_sum_to;  ///< every row of the output
  bool checker = false;               ///< [[checker]]: judges the output, see ReferencePlan
  std::vector<std::string> codes;     ///< of a checker
  bool recorded = false;              ///< no kernel: what the output should be lies in the family's recordings
  SourceLocation where;
};

/// recording.toml: what somebody has computed of one problem's inputs, which `kerlab check --save-inputs` wrote.
struct Recording {
  std::string problem;           ///< Problem::key
  std::string recipe, inputs;    ///< `inputs`: inputs_identity of the numbers that it was computed of
  std::filesystem::path folder;  ///< that it lies in
  struct Output {
    std::string tensor;
    RecordedFiles files;  ///< no digest: its .npy is not there yet
  };
  std::vector<Output> outputs;
};

/// [[reference_workspace]]: memory that the kernels of a reference share.
struct ReferenceWorkspaceDecl {
  std::string name;
  Expression bytes;
  std::string copy;  ///< a tensor, or empty
  SourceLocation where;
};

}  // namespace kerlab::spec
