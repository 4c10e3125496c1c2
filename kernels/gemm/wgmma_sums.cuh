#pragma once
// Sums of a warpgroup as wgmma leaves them: to D.
#include "epilogue.cuh"
#include "wgmma_tile.cuh"

/// 64 rows from m0 on by COLUMNS columns from n0 on. `thread`: 0 to 127 in the warpgroup.
template <int COLUMNS>
__device__ __forceinline__ void write_sums(const Sum (&sums)[COLUMNS / 2], int thread, int m0, int n0, int M, int N,
                                           const Epilogue& epilogue) {
  const int m = m0 + thread / 32 * 16 + thread % 32 / 4;
  const int n = n0 + thread % 4 * 2;
#pragma unroll
  for (int j = 0; j < COLUMNS / 8; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (m + e / 2 * 8 < M && n + j * 8 + e % 2 < N) epilogue(m + e / 2 * 8, n + j * 8 + e % 2, sums[j * 4 + e]);
}
