#pragma once
// Kernels that come as PTX: one file for each configuration, which is assembled, not compiled.

#include <filesystem>

#include "compile/compiler.h"

namespace kerlab::compile {

/// Of a variant whose source is "folder/gemm_*_*.ptx": all files that fit, as headers; no text. Throws Error: none
/// fits, or they are more than 1 GiB.
SourceBundle read_images(const std::filesystem::path& pattern);

/// The request for the one file that its options name (kImage), with the target and nothing else of them; any other as
/// it is. A file that is not there leaves a request without text, which fails with its name.
CompileRequest with_image_alone(CompileRequest request);

/// The text is PTX.
bool is_image(const CompileRequest& request);

}  // namespace kerlab::compile
