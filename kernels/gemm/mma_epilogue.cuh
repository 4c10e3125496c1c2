#pragma once
// From the sums as mma leaves them, two neighbours per lane, to whole lines of memory: each warp passes 16 rows at a time
// through a slab of shared memory of its own.
#include "mma_loop.cuh"
#include "write_d.cuh"

constexpr int kSlabRow = WN + 8;  // floats; 8 more put the 8 rows that are written at once into different banks
constexpr int kSlabFloats = 16 * kSlabRow;

/// Calls write(m, n, four) for every 4 neighbouring sums, or, when rows are not made of whole fours, write(m, n, one).
/// (m, n) is the place within D of the first; all of them lie within M x N.
template <bool FOURS, typename Write>
__device__ __forceinline__ void write_sums(const Sums& sums, const WarpPlace& warp, float4* shared, int m0, int n0, int M,
                                           int N, Write write) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* slab = reinterpret_cast<float*>(shared) + static_cast<int>(threadIdx.x) / 32 * kSlabFloats;
  m0 += warp.m;
  n0 += warp.n;
#pragma unroll
  for (int i = 0; i < kFragmentsM; ++i) {
    float* place = slab + lane / 4 * kSlabRow + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 2 * kFragmentsN; ++j) {
      *reinterpret_cast<float2*>(place + j * 8) = {sums[i][j][0], sums[i][j][1]};
      *reinterpret_cast<float2*>(place + 8 * kSlabRow + j * 8) = {sums[i][j][2], sums[i][j][3]};
    }
    __syncwarp();
    constexpr int kWidth = FOURS ? 4 : 1;
#pragma unroll 2
    for (int part = 0; part < 16 * WN / (32 * kWidth); ++part) {
      const int at = part * 32 + lane;  // of WN / kWidth places in a row
      const int row = at / (WN / kWidth);
      const int column = at % (WN / kWidth) * kWidth;
      if (m0 + i * 16 + row < M && n0 + column < N) {
        if constexpr (FOURS)
          write(m0 + i * 16 + row, n0 + column, *reinterpret_cast<const float4*>(slab + row * kSlabRow + column));
        else
          write(m0 + i * 16 + row, n0 + column, slab[row * kSlabRow + column]);
      }
    }
    __syncwarp();
  }
}
