#pragma once
// Which NVRTC compiles: where it is looked for, what identifies it, and a memory of it in the cache folder, so that a
// session that finds everything in the cache starts no compiler at all.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/modules.h"

namespace kerlab::compile {

struct Toolchain {
  std::string name;                   ///< "NVRTC 13.0"
  std::filesystem::path library;      ///< the file that was loaded
  std::int64_t size = 0;              ///< of the file, bytes
  std::int64_t modified_ns = 0;       ///< of the file
  std::vector<std::string> includes;  ///< folders of the toolkit's headers, for users who include <cuda_bf16.h>
  bool operator==(const Toolchain&) const = default;

  /// All of the above in one line: part of every cache key.
  [[nodiscard]] std::string identity() const;
};

/// What dlopen is tried with, in order: KERLAB_NVRTC (then nothing else), CUDA_HOME, CUDA_PATH, /usr/local/cuda, and
/// the loader's own path. Files that do not exist are left out.
std::vector<std::string> nvrtc_candidates();

/// Size and time of `library` as they are now, and the toolkit's include folders beside it.
Toolchain describe_toolchain(const std::string& name, const std::filesystem::path& library);

/// The toolchain that was remembered for these candidates, if the library's file is still the same.
std::optional<Toolchain> recall_toolchain(const std::filesystem::path& cache_folder);
/// Never throws: without the memory, the next session starts one compiler to ask.
void remember_toolchain(const std::filesystem::path& cache_folder, const Toolchain& toolchain) noexcept;

}  // namespace kerlab::compile
