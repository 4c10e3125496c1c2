#pragma once
// `kerlab show ID --save DIR`: what a trial ran, as files.

#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "spec/spec.h"

namespace kerlab::session {

struct SaveOptions {
  std::filesystem::path folder;  ///< made when it is not there
  KernelPlaces kernels;          ///< --kernels: where the trial's files may still lie
  bool use_cache = true;
  std::filesystem::path compiler;  ///< the kerlab that compiles; empty: this executable
};

struct SavedTrial {
  std::vector<std::filesystem::path> files;  ///< as written
  std::vector<std::string> notes;            ///< what was left out or is not as it was, and why
};

/// Writes the trial's source with its includes, PTX, cubin, the compiler's log, and SASS where the toolkit has a
/// disassembler. The source is the text that was stored when the trial ran, compiled with the options of then. Throws
/// Error when the database has no such text or a file cannot be written.
SavedTrial save_trial(const Database& database, const Trial& trial, const SaveOptions& options);

/// A disassembler of the CUDA toolkit: in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda; empty when there is none.
std::filesystem::path find_toolkit_program(const std::string& name);

}  // namespace kerlab::session
