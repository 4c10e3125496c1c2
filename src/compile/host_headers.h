#pragma once
// What sources written for nvcc include and NVRTC does not have: the headers of the C and C++ library, as far as device
// code can use them.

#include <span>
#include <string>

#include "base/modules.h"

namespace kerlab::compile {

struct HostHeader {
  std::string name;  ///< as in #include <name>
  std::string text;
};

/// Standard headers: those of C++ forward to libcu++ (cuda/std), whose names they bring into std; those of C have the
/// macros and types. A header of the same name in a SourceBundle goes before.
std::span<const HostHeader> host_headers();

/// Changes with any of their texts: part of the key of what was compiled.
const std::string& host_headers_digest();

}  // namespace kerlab::compile
