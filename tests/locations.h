#pragma once
// Where a test finds the program and the data: the same in a build folder and in an install tree on another machine.
// Kernels and configs: share_folder() of base/file.h.

#include <filesystem>

#include "base/file.h"

/// The kerlab program to run: beside this test program (install tree), else the one this build made.
inline std::filesystem::path kerlab_program() {
  const auto beside = kerlab::executable_path().parent_path() / "kerlab";
  return std::filesystem::exists(beside) ? beside : std::filesystem::path(KERLAB_BINARY);
}
