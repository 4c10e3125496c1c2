// Rung 1, row_per_warp: a warp a row, 32 VEC columns of it.
//
// Idea       the lanes read 32 non-zeros side by side, each its own, and hand them round by shuffles: A is asked for once
//            for 32 VEC columns. A lane adds up VEC columns in registers, one wide load of B a non-zero.
// Parameters VEC columns a lane; WARPS of a block.
// Expects    rows of B and C of whole VEC numbers.
// Lacks      lanes, where B has fewer than 32 VEC columns; whole loads of A, where a row has fewer than 32 non-zeros.
#include "piece.cuh"

extern "C" __global__ void __launch_bounds__(32 * WARPS)
row_per_warp(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
             const DTYPE* __restrict__ B, DTYPE* __restrict__ C, int M, int N) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(blockIdx.x) * WARPS + static_cast<int>(threadIdx.x) / 32;
  const int n = (static_cast<int>(blockIdx.y) * 32 + lane) * VEC;
  if (row >= M) return;
  const int end = starts[row + 1];
  float sums[VEC] = {};
  for (int first = starts[row]; first < end; first += 32) {
    const bool in = first + lane < end;
    const int column = in ? columns[first + lane] : 0;
    const float value = in ? to_float(values[first + lane]) : 0.0f;
    const int here = min(32, end - first);
#pragma unroll 4
    for (int i = 0; i < here; ++i) {
      const long long k = __shfl_sync(0xffffffffU, column, i);
      const float factor = __shfl_sync(0xffffffffU, value, i);
      if (n < N) add_product(sums, factor, B + k * N + n);
    }
  }
  if (n < N) store(C + static_cast<long long>(row) * N + n, sums);
}
