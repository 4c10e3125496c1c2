#pragma once
// Where a test finds the program: the same in a build folder and in an install tree on another machine, relative to the
// test program, so that objects are the same in every checkout (ccache). Kernels and configs: share_folder() of
// base/file.h.

#include <filesystem>
#include <string>

#include "base/file.h"

/// The kerlab program to run: beside this test program (install tree), else the one of the build folder.
inline std::filesystem::path kerlab_program() {
  const auto folder = kerlab::executable_path().parent_path();
  const auto beside = folder / "kerlab";
  return std::filesystem::exists(beside) ? beside : folder.parent_path() / "bin" / "kerlab";
}

/// Folder of a libcuda.so.1 that does not work, for LD_LIBRARY_PATH (tests/device/fake_driver.cpp): "fake" or "old"; or
/// of a pretended libnvidia-ml.so.1 (fake_nvml.cpp): "nvml". They are not part of an install tree.
inline std::filesystem::path pretended_driver(const std::string& which) {
  return kerlab::executable_path().parent_path() / "device" / (which + "_driver");
}

/// This folder, with recorded data and other files that tests read; of the checkout alone.
inline std::filesystem::path tests_folder() {
  return kerlab::share_folder() / "tests";
}
