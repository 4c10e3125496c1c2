// Rung 1, rows: LANES threads a row, side by side.
//
// Idea      the lanes of a row read neighbouring accesses of ACCESS bytes, UNROLL of them on their way at once; a warp joins
//           by shuffles, warps of one row by a word each in shared memory. Several short rows share a block.
// Parameters THREADS a block; LANES a row; ACCESS bytes an access, VEC elements; UNROLL.
// Expects   rows that are a multiple of VEC.
// Lacks     work for all SMs where rows are few: a row could be shared out over blocks, as reduce does with all of X.
#include "common/reduction.cuh"

constexpr int kTogether = LANES < 32 ? LANES : 32;
using Several = Vector<DTYPE, VEC>;

__device__ __forceinline__ Number own_share(const Several* row, int accesses, int lane) {
  Number own[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) own[u] = nothing();
  for (int i = lane; i < accesses; i += LANES * UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      if (i + u * LANES >= accesses) break;
      const Several held = row[i + u * LANES];
#pragma unroll
      for (int e = 0; e < VEC; ++e) own[u] = combine(own[u], number_of(held.at[e]));
    }
  }
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) own[0] = combine(own[0], own[u]);
  return own[0];
}

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const DTYPE* __restrict__ X, Number* __restrict__ Y, int M, int N) {
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int row = static_cast<int>(blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES);
  const auto* x = reinterpret_cast<const Several*>(X + static_cast<long long>(row) * N);
  Number own = own_share(x, row < M ? N / VEC : 0, lane);
#pragma unroll
  for (int apart = kTogether / 2; apart > 0; apart /= 2) own = combine(own, __shfl_xor_sync(0xffffffffU, own, apart));
  if (LANES > 32) {
    __shared__ Number words[THREADS / 32];
    if (lane % 32 == 0) words[threadIdx.x / 32] = own;
    __syncthreads();
    if (lane == 0)
#pragma unroll
      for (int warp = 1; warp < LANES / 32; ++warp) own = combine(own, words[threadIdx.x / 32 + warp]);
  }
  if (lane == 0 && row < M) Y[row] = own;
}
