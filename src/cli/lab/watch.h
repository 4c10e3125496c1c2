#pragma once
// `kerlab watch`: tries a kernel, and again whenever one of its files is saved. The lab's `watch` is the same loop.

#include <functional>

#include "base/interrupt.h"
#include "session/history/attempt.h"

namespace kerlab::cli {

struct WatchOptions {
  AttemptRequest request;
  KernelPlaces kernels;                       ///< as of the rig
  std::string again;                          ///< options that the commands named at the end must repeat: " --db FILE"
  std::function<void(const Attempt&)> tried;  ///< told of each; may be null
  bool once = false;                          ///< one attempt and no more
  bool json = false, color = false;
};

/// Until Ctrl-C: `passed` when it came between two attempts, `interrupted` when in the middle of one (which ends at
/// once where an InterruptedWaitsEnd lives). With `once` what bench would end with. Ends with a summary: the best, and
/// how to have it back. Throws what is wrong with the request itself, found by the first attempt.
ExitCode run_watch(const WatchOptions& options, Attempts& attempts, const InterruptFlag& interrupt);

}  // namespace kerlab::cli
