#pragma once
// Tiles of rows in shared memory, filled by cp.async, and sums of rows on their way out, for the rungs on mma.sync.
#include "attention/mma_tile.cuh"
#include "common/sm80/cp_async.cuh"
#include "row_sums.cuh"

using Place = sm80::Swizzle<kRowBytes>;
constexpr int kRows = 16 * WARPS, kThreads = 32 * WARPS;
constexpr int kOwnBytes = kRows * kRowBytes, kTileBytes = TILE * kRowBytes;

/// Rows first .. first + Rows - 1 of a head begin to move to a tile, zeros where there are none.
template <int Rows>
__device__ __forceinline__ void copy_tile(unsigned tile, HeadRows<const DTYPE> from, int first, int end, int depth) {
#pragma unroll
  for (int pass = 0; pass < (Rows * kRowChunks + kThreads - 1) / kThreads; ++pass) {
    const int at = pass * kThreads + static_cast<int>(threadIdx.x);
    if (Rows * kRowChunks % kThreads != 0 && at >= Rows * kRowChunks) break;
    const int row = at / kRowChunks, chunk = at % kRowChunks;
    const bool there = first + row < end && chunk * 8 < depth;
    sm80::cp_async_16(tile + Place::offset(row, chunk), there ? from.row(first + row) + chunk * 8 : from.first, there);
  }
}

/// Products of the warp's 16 rows of two tiles with Columns rows of two others: s = a x^T, t = b y^T.
template <int Columns>
__device__ __forceinline__ void two_products(float (&s)[Columns / 2], float (&t)[Columns / 2], unsigned a, unsigned x,
                                             unsigned b, unsigned y) {
  const int own = static_cast<int>(threadIdx.x) / 32 * 16;
#pragma unroll 2  // more of them only keep more addresses in registers
  for (int step = 0; step < kDepthSteps; ++step) {
    unsigned rows[4];
    load_query<Place>(rows, a, own, step);
    multiply_keys<Place, Columns>(s, rows, x, step);
    load_query<Place>(rows, b, own, step);
    multiply_keys<Place, Columns>(t, rows, y, step);
  }
}

/// factor times the two rows of sums that this lane has a part of, from row `first` of the warp's 16.
__device__ __forceinline__ void write_sums(const float (&sums)[kOutputs], float factor, HeadRows<DTYPE> to, int first,
                                           int end, int depth) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int i = first + lane / 4 + 8 * r;
    if (i >= end) continue;
    unsigned* row = reinterpret_cast<unsigned*>(to.row(i) + lane % 4 * 2);
#pragma unroll
    for (int d = 0; d < DEPTH / 8; ++d)
      if (8 * d < depth) row[4 * d] = pack_pair<DTYPE>(sums[4 * d + 2 * r] * factor, sums[4 * d + 2 * r + 1] * factor);
  }
}
