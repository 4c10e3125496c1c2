#pragma once
// An exported library as one self-contained C++17 header.

#include <string>

#include "trial/exported_library.h"

namespace kerlab::report {

/// Where the cubins are.
struct CubinPlace {
  bool embedded = true;
  std::string folder;  ///< of those that are not, as the header names it
};

/// Includes nothing but the standard library; namespace kerlab_<family>.
std::string dispatch_header(const ExportedLibrary& library, const CubinPlace& place);

/// "2f1c....cubin": of an image that is not embedded.
std::string cubin_name(const ExportedImage& image);

}  // namespace kerlab::report
