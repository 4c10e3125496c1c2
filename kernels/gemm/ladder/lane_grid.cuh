#pragma once
// The fp32 rungs whose threads own TM x TN accumulators: how the lanes of a warp stand, how they read k-major tiles of
// shared memory and how they write. A thread's rows are TM / 4 groups of 4 that lie LANES_M * 4 apart, so that a warp reads
// consecutive 16-byte words; its columns are the same along N.
#include "gemm/epilogue.cuh"

/// The lanes of a warp stand in Z order on a grid of LANES_M x LANES_N (4 x 8 or 8 x 4): lanes i and i ^ 1 share their
/// B, i and i ^ 2 their A, which lets a half warp's 16-byte loads be served at once.
__device__ __forceinline__ int lane_m(int lane) {
  return (lane & 1) | (lane >> 2 & 2) | (LANES_M == 8 ? lane >> 4 << 2 : 0);
}
__device__ __forceinline__ int lane_n(int lane) {
  return (lane >> 1 & 3) | (LANES_N == 8 ? lane >> 4 << 2 : 0);
}

/// `COUNT` numbers in groups of 4 that lie `step` floats apart.
template <int COUNT>
__device__ __forceinline__ void load_groups(float (&to)[COUNT], const float* from, int step) {
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i / 4 * step);
    to[i] = four.x;
    to[i + 1] = four.y;
    to[i + 2] = four.z;
    to[i + 3] = four.w;
  }
}

/// Writes a thread's accumulators; (m, n) is the place in D of its first.
template <int COUNT_M, int COUNT_N>
__device__ __forceinline__ void write_groups(const float (&accumulators)[COUNT_M][COUNT_N], int m, int n, int M,
                                             const Epilogue& epilogue) {
#pragma unroll
  for (int i = 0; i < COUNT_M; ++i)
#pragma unroll
    for (int j = 0; j < COUNT_N; j += 4)
      epilogue.four_or_fewer(m + i / 4 * (LANES_M * 4) + i % 4, n + j / 4 * (LANES_N * 4), M, &accumulators[i][j]);
}
