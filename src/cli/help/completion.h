#pragma once
// What may be typed next: for shells (`kerlab complete`) and for the prompt of the lab. Reads specs, nothing else: no
// device, no compiler, no database. Nothing here throws.

#include <string>
#include <vector>

#include "cli/frame/command_model.h"
#include "session/find/vocabulary.h"

namespace kerlab::cli {

/// One word that may stand where the cursor is.
struct Completion {
  std::string text;  ///< the whole word: what was typed of it and what is missing
  std::string doc;
  bool whole = true;  ///< the word ends here and a space may follow; false: "gemm/", "BM=", "src/"
};
using Completions = std::vector<Completion>;

/// Folders that kernels and suites are looked for in besides the shipped ones.
struct KnownFolders {
  KernelRoots kernels;
  std::vector<std::filesystem::path> suites;
};

/// What the last of a command line's words may become. `words`: those before it, without the program's name.
Completions complete(const CommandModel& root, const std::vector<std::string>& words, const std::string& word,
                     const KnownFolders& folders = {});

// What it is made of, for prompts with commands of their own. `kernels`: --kernels.
/// "gemm/mma_pipe", "./my_op/", "gemm/mma_pipe:BM=64,BN=": FAMILY/VARIANT[:NAME=VALUE,...]. FAMILY alone is completed
/// to "FAMILY/".
Completions complete_kernel(const KernelRoots& kernels, const std::string& word);
/// A family's name, or a folder.
Completions complete_family(const KernelRoots& kernels, const std::string& word);
/// A variant of a family: "mma_pipe"; also the last of "naive,mma_p".
Completions complete_variant(const KernelRoots& kernels, const std::string& family, const std::string& word);
/// "BM=" and then "BM=64" of a kernel FAMILY/VARIANT; also the last of "BM=64,BN=128,ST". `taken`: words that name
/// parameters already, "BM=64".
Completions complete_parameter(const KernelRoots& kernels, const std::string& kernel, const std::string& word,
                               const std::vector<std::string>& taken = {});
/// Values of one parameter, as in `sweep STAGES 2`; of a flag, as in `set layout nt`; and names of dimensions, flags
/// and scalars, as in `set M`. `family` may be a kernel: gemm/mma_pipe.
Completions complete_value(const KernelRoots& kernels, const std::string& kernel, const std::string& parameter,
                           const std::string& word);
Completions complete_flag(const KernelRoots& kernels, const std::string& family, const std::string& flag,
                          const std::string& word);
Completions complete_problem(const KernelRoots& kernels, const std::string& family, const std::string& word);
/// Also the last of "fp16,bf".
Completions complete_dtype(const KernelRoots& kernels, const std::string& family, const std::string& word);
Completions complete_device(const std::string& word);
Completions complete_suite(const std::vector<std::filesystem::path>& folders, const std::string& word);
/// Files and folders; `folders`: only these.
Completions complete_path(const std::string& word, bool folders);

/// The family of "gemm/mma_pipe:BM=64", "gemm", "./my_op/flat": "gemm", "gemm", "./my_op".
std::string family_part(const std::string& kernel);

}  // namespace kerlab::cli
