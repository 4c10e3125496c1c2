#pragma once
// A suite: a list of problems in a TOML file, to be tuned, timed or checked one after the other.
//
//   doc = "what it is for"                          # optional, as is everything but [[problem]] and its family
//   [options]                                       # of `tune`, for every problem; its own `options` replace them
//   trials = 64
//   [[problem]]
//   name = "decode"                                 # in the summary; default: the family's name
//   family = "gemm"                                 # or a folder, relative to the suite's file
//   dtype = ["bf16", "fp16"]                        # lists here and below: every combination is a problem
//   dimensions = { M = [1, 8, 16], N = 4096, K = "4K" }
//   flags = { layout = "nt" }
//   scalars = { beta = 1.0 }
//   variants = ["mma_pipe", "split_k"]              # default: those marked `tune = true`; ["all"]
//   options = { trials = 64, time = 30, patience = 80, search = "random", seed = 1, all = true, spills = true }
//   options = { accuracy = ["normwise", "may-be-nan"] }  # classes that may win: `tune --accuracy`
//   min_tflops = 400                                # of `kerlab regress record`
//   [margins]                                       # of `kerlab regress record`

#include "plan/accuracy.h"
#include "session/run/arguments.h"

namespace kerlab::session {

/// Options of a tune that a suite may set; what is not set is empty.
struct SuiteOptions {
  std::optional<std::size_t> trials, patience;
  std::optional<double> time_s;
  std::optional<std::string> search;
  std::optional<std::uint64_t> seed;
  std::optional<bool> all, spills;
  std::optional<Accuracy> accuracy;
};

/// One problem, every list resolved.
struct SuiteProblem {
  std::string name;
  std::string family;                      ///< as `kerlab tune` takes it
  std::string title;                       ///< "gemm 1x4096x4096 bf16 nn"
  std::vector<ProblemArgument> arguments;  ///< one value each
  std::string dtype;                       ///< empty: the family's first that the device supports
  std::vector<std::string> variants;
  SuiteOptions options;
  double min_tflops = 0;  ///< of `kerlab regress`: an absolute floor; 0: none
};

struct Suite {
  std::filesystem::path file;
  std::string name, doc;  ///< name: of the file, without .toml
  std::vector<SuiteProblem> problems;
};

/// `file` as typed: a path, or the name of a suite in one of `folders` or among the shipped ones ("gemm-sm80"). Throws
/// UsageError when there is no such file, SpecError (file:line:column) for whatever is wrong in it: unknown keys,
/// families, names, values.
Suite read_suite(const std::string& file, const KernelPlaces& kernels,
                 const std::vector<std::filesystem::path>& folders = {});

/// The folder of the shipped suites, and the names of a folder's suites, sorted.
std::filesystem::path shipped_suites();
std::vector<std::string> suite_names(const std::filesystem::path& folder);

}  // namespace kerlab::session
