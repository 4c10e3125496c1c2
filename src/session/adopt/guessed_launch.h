#pragma once
// Grid and block of a kernel whose launch nobody wrote down: from what its body does with the indices of threads.

#include <map>
#include <string>
#include <vector>

#include "session/adopt/draft.h"

namespace kerlab::session {

/// What the guess may use.
struct LaunchHints {
  std::vector<std::string> dimensions;            ///< of the problem, in the kernel's order
  std::map<std::string, std::string> parameters;  ///< as the source has them, and as the launch says them
  std::string elements;                           ///< of its output
  std::string threads;                            ///< of __launch_bounds__, as a spec writes it; empty: not known
};

/// Fills grid, block and their notes.
void guess_launch(DraftLaunch& launch, const CudaFile& file, const CudaKernel& kernel, const LaunchHints& hints);

}  // namespace kerlab::session
