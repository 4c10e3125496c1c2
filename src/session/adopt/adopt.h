#pragma once
// `kerlab adopt FILE`: a family and a variant that run at once, from a CUDA source as it was found, or from the JSON of
// a tuner (T1) that names one.

#include <filesystem>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::session {

struct AdoptOptions {
  std::filesystem::path file;
  std::string kernel;     ///< empty: the only one, or the only one beside the reference
  std::string reference;  ///< empty: the kernel itself
  std::string name;       ///< of the family; empty: the file's
  std::filesystem::path parent = ".";
  bool overwrite = false;
};

struct Adopted {
  std::filesystem::path folder;
  std::string kernel, reference;
  std::vector<std::string> marks;  ///< what it could not know, as "family.toml:7: a guess"
};

/// Writes the folder. Throws SpecError for what cannot be adopted, UsageError for names that are not there and files
/// that are.
Adopted adopt(const AdoptOptions& options);

}  // namespace kerlab::session
