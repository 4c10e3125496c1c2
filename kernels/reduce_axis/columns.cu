// Rung 1, columns: a block takes a strip of columns and a part of the rows; then the parts are joined.
//
// Idea      a warp reads 32 contiguous accesses of ACCESS bytes, coalesced, UNROLL rows in flight; the warps of a block
//           stride over the rows and reduce in shared memory. Rows are shared out so that all SMs have work, and a second launch
//           joins the parts in their order, whoever was first: the same bits every time.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL rows in flight a warp; BLOCKS an SM.
// Expects   columns that are a multiple of VEC.
// Lacks     one launch: the block that comes last could join its strip, as reduce's one_launch does.
#include "common/reduction.cuh"

constexpr int kWarps = THREADS / 32;
constexpr int kWide = 32 * VEC;
using Several = Vector<DTYPE, VEC>;

struct Share {
  Number at[VEC];

  __device__ __forceinline__ void add(const Several& held) {
#pragma unroll
    for (int e = 0; e < VEC; ++e) at[e] = combine(at[e], number_of(held.at[e]));
  }
};

/// partial[part][column], of as many rows each.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_parts(const DTYPE* __restrict__ X, Number* __restrict__ partial, int M, int N) {
  __shared__ Number shares[kWarps][kWide];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int column = static_cast<int>(blockIdx.x) * kWide + lane * VEC;
  const int rows = (M + static_cast<int>(gridDim.y) - 1) / static_cast<int>(gridDim.y);
  const long long begin = static_cast<long long>(blockIdx.y) * rows;
  const long long end = begin + rows < M ? begin + rows : M;
  Share own;
#pragma unroll
  for (int e = 0; e < VEC; ++e) own.at[e] = nothing();
  for (long long row = begin + warp; row < end && column < N; row += kWarps * UNROLL) {
    Several held[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (row + u * kWarps < end) held[u] = *reinterpret_cast<const Several*>(X + (row + u * kWarps) * N + column);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (row + u * kWarps < end) own.add(held[u]);
  }
#pragma unroll
  for (int e = 0; e < VEC; ++e) shares[warp][lane * VEC + e] = own.at[e];
  __syncthreads();
  for (int at = static_cast<int>(threadIdx.x); at < kWide; at += THREADS) {
    const int mine = static_cast<int>(blockIdx.x) * kWide + at;
    Number all = shares[0][at];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) all = combine(all, shares[w][at]);
    if (mine < N) partial[static_cast<long long>(blockIdx.y) * N + mine] = all;
  }
}

extern "C" __global__ void __launch_bounds__(128)
join_parts(const Number* __restrict__ partial, Number* __restrict__ Y, int N, int parts) {
  const int column = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  if (column >= N) return;
  Number all = nothing();
#pragma unroll 8
  for (int part = 0; part < parts; ++part) all = combine(all, partial[static_cast<long long>(part) * N + column]);
  Y[column] = all;
}
