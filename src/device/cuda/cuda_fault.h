#pragma once
// What a CUresult means for a trial.

#include <cuda.h>

#include <string_view>

#include "device/device.h"

namespace kerlab::device {

struct FaultClass {
  FaultKind kind = FaultKind::other;
  bool sticky = false;      ///< the context is lost; only a new process helps
  std::string_view remedy;  ///< what to look at; may be empty
};

/// `otherwise` is the kind of results that say nothing by themselves (invalid value): what was being done.
FaultClass classify(CUresult result, FaultKind otherwise);

}  // namespace kerlab::device
