#pragma once
// The inputs of a problem as files, for whoever computes its outputs elsewhere; kernels/FORMAT.md, "Recordings".

#include <filesystem>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace kerlab::session {

/// What was written of one recipe.
struct SavedInputs {
  std::string recipe;
  std::filesystem::path folder;
  struct File {
    std::string file;                 ///< name in `folder`
    std::vector<std::string> stored;  ///< NumPy types, any of which will do: "float64", "float32"
    std::vector<std::int64_t> shape;
  };
  std::vector<File> inputs;
  std::vector<File> outputs;  ///< to be computed
};

/// Writes into `folder`/PROBLEM/RECIPE/ what each input holds, and recording.toml. `recipes`: names; empty: all of the
/// problem's. Throws UsageError: no such recipe, inputs too large, outputs there that were computed of other inputs.
std::vector<SavedInputs> save_inputs(const Family& family, const Problem& problem,
                                     const std::vector<std::string>& recipes, const std::filesystem::path& folder);

}  // namespace kerlab::session
