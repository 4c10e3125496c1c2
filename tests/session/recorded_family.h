#pragma once
// A family whose outputs nobody computes here: y = 3 x, recorded by the test from the inputs that kerlab wrote.

#include <filesystem>

#include "base/file.h"
#include "plan/npy.h"
#include "session/element_family.h"

namespace kerlab::testing {

inline ElementFamily recorded_family() {
  return {.name = "thrice",
          .tolerance = "{ rule = \"rowwise\" }",
          .kernel = "y[i] = BUG == 1 && i == n - 1 ? x[i] : 3 * x[i];"};
}

/// Computes y.npy beside every x.npy below `folder`; returns how many.
inline int record_thrice(const std::filesystem::path& folder, double factor = 3) {
  int recorded = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() != "x.npy") continue;
    const plan::NpyArray x = plan::read_npy(entry.path());
    std::vector<double> y;
    for (std::int64_t i = 0; i < x.header.elements(); ++i) y.push_back(factor * x.number(static_cast<std::size_t>(i)));
    write_atomic(entry.path().parent_path() / "y.npy",
                 plan::npy_file(plan::NpyType::f8, x.header.shape, std::as_bytes(std::span(y))));
    ++recorded;
  }
  return recorded;
}

}  // namespace kerlab::testing
