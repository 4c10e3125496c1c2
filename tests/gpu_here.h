#pragma once
#include <cstdlib>
#include <string_view>

#include "catch.h"
#include "device/cuda/driver_api.h"

namespace kerlab::test {

/// A GPU that programs may see, or false and a visible word that the test was skipped.
inline bool gpu_here() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool hidden = visible != nullptr && std::string_view(visible).empty();
  if (has_driver_library() && has_gpu_nodes() && !hidden) return true;
  WARN("skipped: no CUDA device");
  return false;
}

}  // namespace kerlab::test
