#pragma once
// The second launch: joins what the splits have left, a block a row.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(128)
    combine(const float* __restrict__ sums, const Part* __restrict__ parts, DTYPE* __restrict__ O,
            float* __restrict__ LSE, int heads, int queries, int depth) {
  const long long row = blockIdx.x, rows = gridDim.x;
  for (int d = static_cast<int>(threadIdx.x); d < depth; d += 128) {
    Part all;
    const float sum = join(SPLITS, [&](int split) { return parts[split * rows + row]; },
                           [&](int split) { return sums[(split * rows + row) * depth + d]; }, all);
    O[row * depth + d] = from_float<DTYPE>(sum * factor_of(all));
    if (d == 0) LSE[Row(row, queries, heads).of_lse(queries, heads)] = lse_of(all);
  }
}
