#pragma once
// The signature of one kernel, and what a pragma before it says.

#include <string>
#include <vector>

#include "session/adopt/cuda_file.h"

namespace kerlab::session {

/// Of the tokens [first, brace) of `file`, in these namespaces. Throws SpecError for a kernel that it cannot read.
CudaKernel read_signature(const CudaFile& file, std::size_t first, std::size_t brace,
                          const std::vector<std::string>& spaces);

/// Of `#pragma kernel ...`. Throws SpecError.
CudaPragma read_pragma(const CudaFile& file, const CudaToken& directive);

}  // namespace kerlab::session
