#pragma once
// The first launch of every rung: what each query's row needs of its own besides q and dO.
#include "attention/window.cuh"
#include "common/rows/row_math.cuh"

/// p = 2^(q k log2(e) / sqrt(depth) - base), ds = p (dO v - delta).
struct RowSums {
  float base, delta;
};

/// Of a row that sees nothing (lse is -inf) the base is +inf: all of its weights are 0.
__device__ __forceinline__ float base_of(float lse) {
  return lse == -infinity() ? infinity() : lse * kLog2e;
}

/// The first query that sees key j.
__device__ __forceinline__ int first_seeing(int j, int queries, int keys) {
  const long long first = static_cast<long long>(j) + queries - keys;
  return !CAUSAL || first < 0 ? 0 : static_cast<int>(first);
}

/// One past the last query that sees key j.
__device__ __forceinline__ int end_seeing(int j, int queries, int keys) {
  const long long end = static_cast<long long>(j) + WINDOW + queries - keys;
  return WINDOW == 0 || end > queries ? queries : end < 0 ? 0 : static_cast<int>(end);
}

/// A warp a row, 4 a block: delta = sum of dO O. `sums` has `places` rows for each head, in LSE's order; those beyond
/// the queries are of rows that see nothing.
extern "C" __global__ void __launch_bounds__(128)
    row_sums(const DTYPE* __restrict__ dO, const DTYPE* __restrict__ O, const float* __restrict__ LSE,
             RowSums* __restrict__ sums, int heads, int queries, int depth, int places, long long rows) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = static_cast<long long>(blockIdx.x) * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  const int i = static_cast<int>(row % places), z = static_cast<int>(row / places);
  if (i >= queries) {
    if (lane == 0) sums[row] = {infinity(), 0.0f};
    return;
  }
  const DTYPE* o = rows_of(O, z / heads, z % heads, heads, queries, depth).row(i);
  const DTYPE* g = rows_of(dO, z / heads, z % heads, heads, queries, depth).row(i);
  float delta = 0.0f;
  for (int d = lane; d < depth; d += 32) delta += to_float(g[d]) * to_float(o[d]);
  for (int step = 16; step > 0; step /= 2) delta += __shfl_xor_sync(0xffffffffU, delta, step);
  if (lane == 0) sums[row] = {base_of(LSE[static_cast<long long>(z) * queries + i]), delta};
}
