#pragma once
// The files that a kernel is made of.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "spec/spec.h"

namespace kerlab::session {

struct KernelFile {
  std::string name;  ///< relative to the kernel's folder: "reg2d.cu", "detail/tile.cuh"
  std::string text;
};

/// The variant's source and spec, family.toml, reference.cu and what they include.
struct KernelFiles {
  std::filesystem::path folder;                ///< absolute
  std::vector<KernelFile> own;                 ///< those below the folder, as they were read; sorted by name
  std::vector<std::filesystem::path> watched;  ///< all of them: who edits one has another kernel
};

/// `source` and `reference` as they were read: what has been saved since does not matter.
KernelFiles kernel_files(const Family& family, const Variant& variant, const SourceBundle& source,
                         const SourceBundle& reference);

/// The folder of a family, whether its specs can be read or not. `name`: as Catalogue::find takes it; empty: there is
/// none.
std::filesystem::path folder_of_family(const KernelPlaces& kernels, const std::string& name);

/// The compiler's first error with its place as editors understand it: "reg2d.cu:57:12: error: ..." from
/// "./gemm/reg2d.cu(57): error: ..." and the line with a caret that follows. Only the first line of the message.
std::string error_in_place(const std::string& message, const SourceBundle& source);

}  // namespace kerlab::session
