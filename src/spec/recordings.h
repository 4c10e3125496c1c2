#pragma once
// Outputs that somebody has computed elsewhere, of inputs that `kerlab check --save-inputs` wrote: a folder beside
// family.toml with a folder for each problem and recipe, which holds recording.toml and .npy files.

#include <map>
#include <string>
#include <vector>

#include "plan/npy.h"
#include "spec/spec.h"
#include "spec/toml/spec_table.h"

namespace kerlab::spec {

inline constexpr const char* kRecordingFile = "recording.toml";
inline constexpr std::int64_t kRecordingFormat = 1;

/// Reads the recordings of a family whose references are read, if any of them is recorded. `table`: family.toml. Throws
/// SpecError: a folder elsewhere, a link, a manifest that is wrong.
void read_recordings(const SpecTable& table, Family& family);

/// Some output is computed or judged by a kernel.
bool has_kernels_of_reference(const Family& family);

/// Which numbers the inputs of a problem hold under a recipe: the same text, the same bits.
std::string inputs_identity(const std::vector<Tensor>& tensors, const Recipe& recipe);

/// As what an output, or its error scale, may be recorded: float32 or float64 for floats, else the type itself.
std::vector<NpyType> recorded_types(const Tensor& output);
/// With complex elements as one each.
std::vector<std::int64_t> recorded_shape(const Tensor& tensor);

/// What there is of one problem.
struct ProblemRecordings {
  std::vector<std::size_t> recipes;                         ///< that are recorded: of those of the problem
  std::map<std::string, std::vector<RecordedFiles>> files;  ///< of each recorded output, one for each of these recipes
  bool in_single = false;                                   ///< some are rounded to float32
  std::string why_not;                                      ///< empty: the problem can be checked
};
/// Throws Error that names the file where one has another type or shape than its tensor, or is no .npy.
ProblemRecordings recordings_of(const Family& family, const Problem& problem, const std::vector<Tensor>& tensors,
                                const std::vector<Recipe>& recipes);

/// Why a problem of a family with recordings cannot be checked: what is missing, and what is recorded. Empty: it can,
/// or the family has none.
std::string why_unrecorded(const Family& family, const Problem& problem);
/// The keys of all problems that have a recording, each once.
std::vector<std::string> recorded_keys(const Family& family);
/// Of all that is recorded of a problem: part of what a check of it is named by. Empty: nothing is.
std::string recordings_digest(const Family& family, const Problem& problem);

}  // namespace kerlab::spec
