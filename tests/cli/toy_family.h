#pragma once
// A small family that compiles in a blink, for sandboxes: y = 2 x, with four configurations; and a device script.

#include <string_view>

inline constexpr std::string_view kToyFamily = R"toy(name = "twice"
doc = "y = 2 x"
dtypes = ["fp32", "fp64"]
[[dimension]]
name = "N"
default = 1048576
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
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "index", "count", "value", "scale"]
tolerance = { rule = "exact" }
[cost]
flops = "N"
bytes = "2 * N * dtype.bytes"
)toy";

inline constexpr std::string_view kToyReference = R"toy(#include "common/types.cuh"
extern "C" __global__ void reference(const DTYPE* x, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  value[place] = ACC(2) * ACC(x[index == nullptr ? place : index[place]]);
  scale[place] = 0;
}
)toy";

inline constexpr std::string_view kToyVariant = R"toy(doc = "one element per thread"
dtypes = ["fp32"]
[[parameter]]
name = "THREADS"
values = [64, 128, 256, 512]
[[launch]]
kernel = "twice"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "y", "N"]
)toy";

inline constexpr std::string_view kToyKernel = R"toy(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
}
)toy";

inline constexpr std::string_view kToyScript = R"toy([default]
us = 100.0
spread = 0.5
[[rule]]
match = "* THREADS=128*"
us = 50.0
)toy";
