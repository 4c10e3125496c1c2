#pragma once
// A draft as the files of a family.

#include <string>

#include "session/adopt/draft.h"

namespace kerlab::session {

/// Names of what is adopted.
struct AdoptedNames {
  std::string family, kernel, source;  ///< source: the file's name in the folder
  std::string reference;               ///< the kernel that says what is right; empty: the adopted one itself
};

std::string family_text(const Draft& draft, const AdoptedNames& names);
std::string variant_text(const Draft& draft, const AdoptedNames& names);
std::string reference_text(const Draft& draft, const AdoptedNames& names);

/// The source as a device compiler takes it: host code between #if 0 and #endif, numbers that may be given from
/// outside.
std::string device_source(const CudaFile& file, const Draft& draft);

}  // namespace kerlab::session
