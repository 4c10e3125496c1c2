#pragma once
// Headers beside a CUDA source, and names that it has for types.

#include <filesystem>
#include <map>
#include <string>

#include "session/adopt/cuda_file.h"

namespace kerlab::session {

/// `typedef float real;` and `using real = float;`: the first of each name.
void add_type_names(const CudaTokens& tokens, std::map<std::string, std::string>& types);

/// What `tokens`, of the file at `path`, include from its folder, with what these include, and the types that they
/// name.
void add_headers(const std::filesystem::path& path, const CudaTokens& tokens, CudaFile& file);

}  // namespace kerlab::session
