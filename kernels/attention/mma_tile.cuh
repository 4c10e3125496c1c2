#pragma once
// What the rungs on mma.sync share: a warp's 16 queries against tiles of keys and values in shared memory. Place says
// where chunks of 16 bytes lie (common/sm80/swizzle.cuh); tiles have rows of DEPTH numbers, one a key.
#include "common/shared_address.cuh"
#include "common/sm80/ldmatrix.cuh"
#include "common/sm80/mma_sync.cuh"
#include "common/sm80/swizzle.cuh"
#include "problem.cuh"
#include "query_tile.cuh"
#include "softmax_tile.cuh"

constexpr int kDepthSteps = DEPTH / 16;  // mma steps along a query
constexpr int kOutputs = DEPTH / 2;      // numbers of a warp's 16 x DEPTH of O that a lane has
constexpr int kRowBytes = DEPTH * DTYPE_BYTES;
constexpr int kRowChunks = kRowBytes / 16;

/// Queries 0 .. 15 from row `first` of a tile, numbers 16 step and on: an A.
template <typename Place>
__device__ __forceinline__ void load_query(unsigned (&a)[4], unsigned tile, int first, int step) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  sm80::ldmatrix_x4(a, tile + Place::offset(first + lane % 16, 2 * step + lane / 16));
}

/// Four neighbouring accumulators: a 16 x 8 tile.
__device__ __forceinline__ float (&tile_at(float* accumulators, int tile))[4] {
  return *reinterpret_cast<float(*)[4]>(accumulators + 4 * tile);
}

/// s += q K^T for 16 numbers of the depth, where K is a tile of Columns keys.
template <typename Place, int Columns>
__device__ __forceinline__ void multiply_keys(float (&s)[Columns / 2], const unsigned (&q)[4], unsigned tile,
                                              int step) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < Columns / 16; ++j) {
    unsigned k[4];
    sm80::ldmatrix_x4(k, tile + Place::offset(16 * j + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
    sm80::mma_m16n8k16<DTYPE>(tile_at(s, 2 * j), q, k[0], k[1]);
    sm80::mma_m16n8k16<DTYPE>(tile_at(s, 2 * j + 1), q, k[2], k[3]);
  }
}

/// o += P V, where P are the weights of Columns keys and V their values; a lane has Count numbers of O.
template <typename Place, int Columns, int Count>
__device__ __forceinline__ void multiply_values(float (&o)[Count], const float (&p)[Columns / 2], unsigned tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < Columns / 16; ++j) {
    unsigned a[4];
    pack_weights<DTYPE>(a, p, j);
#pragma unroll
    for (int d = 0; d < Count / 8; ++d) {
      unsigned v[4];
      sm80::ldmatrix_x4_trans(v, tile + Place::offset(16 * j + lane % 16, 2 * d + lane / 16));
      sm80::mma_m16n8k16<DTYPE>(tile_at(o, 2 * d), a, v[0], v[1]);
      sm80::mma_m16n8k16<DTYPE>(tile_at(o, 2 * d + 1), a, v[2], v[3]);
    }
  }
}

/// The two rows of o that this lane has a part of, from query `first` of the warp's 16, and their LSE.
template <int Count>
__device__ __forceinline__ void write_rows(const float (&o)[Count], const float (&lse)[2], HeadRows<DTYPE> O,
                                           float* LSE, int first, int queries, int depth) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int i = first + lane / 4 + 8 * r;
    if (i >= queries) continue;
    unsigned* row = reinterpret_cast<unsigned*>(O.row(i) + lane % 4 * 2);
#pragma unroll
    for (int d = 0; d < Count / 4; ++d)
      if (8 * d < depth) row[4 * d] = pack_pair<DTYPE>(o[4 * d + 2 * r], o[4 * d + 2 * r + 1]);
    if (lane % 4 == 0) LSE[i] = lse[r];
  }
}
