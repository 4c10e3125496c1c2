#pragma once
// Macros that stand for the qualifiers of CUDA: `#define KERNEL extern "C" __global__`, OpenCL's words.

#include "session/adopt/cuda_tokens.h"

namespace kerlab::session {

/// Puts the qualifier in place of each such macro, and takes away those that stand for nothing. Directives stay.
void expand_qualifiers(const std::string& path, CudaTokens& tokens);

}  // namespace kerlab::session
