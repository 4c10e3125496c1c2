#pragma once
// A family whose outputs nobody computes here: y = 3 x, recorded by the test from the inputs that kerlab wrote.

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "plan/npy.h"

namespace kerlab::testing {

inline constexpr std::string_view kRecordedFamily = R"toml(name = "thrice"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 1000
[[tensor]]
name = "x"
role = "input"
shape = ["N"]
[[tensor]]
name = "y"
role = "output"
shape = ["N"]
[[reference]]
output = "y"
recorded = true
tolerance = { rule = "rowwise" }
[cost]
flops = "N"
bytes = "2 * N * dtype.bytes"
)toml";

inline constexpr std::string_view kRecordedVariant = R"toml(doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1]
[[launch]]
kernel = "thrice"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "y", "N"]
)toml";

inline constexpr std::string_view kRecordedKernel = R"cuda(
extern "C" __global__ void thrice(const float* x, float* y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = BUG == 1 && i == n - 1 ? x[i] : 3 * x[i];
}
)cuda";

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
