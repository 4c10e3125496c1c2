#pragma once
// What checks on GPUs and on emulated devices have in common.

#include "verify/check.h"
#include "worker/messages.h"

namespace kerlab::worker {

/// A candidate's fault on the small problem.
struct SmallProblemFault : DeviceFault {
  using DeviceFault::DeviceFault;
};

CheckWishes wishes_of(const request::Check& check);
std::int64_t blocks_of(const LaunchPlan& plan);
/// What was seen of the small problem behind what was seen of the whole one.
CheckReport with_small(CheckReport whole, const CheckReport& small);

}  // namespace kerlab::worker
