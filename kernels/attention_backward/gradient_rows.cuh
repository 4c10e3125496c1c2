#pragma once
// How rungs 3 and 4 write what they have added up: dK and dV of a warpgroup's 64 keys through a tile in shared memory and
// TMA, dQ from sums in memory that lie as wgmma leaves accumulators.
#include "attention/softmax_tile.cuh"
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/smem_tile.cuh"
#include "common/sm90/stmatrix.cuh"
#include "common/sm90/tma.cuh"
#include "key_tile.cuh"

constexpr int kPanels = (DEPTH + 63) / 64;  // of 64 numbers, 128 bytes, along a query or key

/// factor times the sums of 64 keys to rows `row` and on of a tile, and from there by TMA, which leaves out keys and
/// numbers that are not there. All 128 threads of `barrier`; the first commits, and waits before it exits.
template <typename Tile, typename Sums>
__device__ __forceinline__ void store_keys(const Sums& sums, float factor, unsigned tile, int row, const TensorMap& map,
                                           int first, int head, int b, NamedBarrier barrier) {
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const int own = row + thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int step = 0; step < DEPTH / 16; ++step) {
    unsigned a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[i] = pack_pair<DTYPE>(sums[8 * step + 2 * i] * factor, sums[8 * step + 2 * i + 1] * factor);
    stmatrix_x4(tile + Tile::place(own, 16 * step + lane / 16 * 8), a[0], a[1], a[2], a[3]);
  }
  fence_proxy_async();
  barrier.sync();
  if (thread != 0) return;
#pragma unroll
  for (int panel = 0; panel < kPanels; ++panel)
    TmaStore::store(map, tile + panel * Tile::kPanelBytes + row * 128, panel * 64, first, head, b);
  tma_store_commit();
}

/// Of 16 columns of dQ the first of the four that this lane writes.
__device__ __forceinline__ int query_column() {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return lane % 2 * 8 + lane % 4 / 2 * 4;
}

/// Four columns of dQ from `column` on, of rows `first` and eight below it: two neighbouring lanes trade pairs, so that
/// each has 8 bytes of a row. `sums`: this thread's of the first eight of 16 columns; those of the next lie 128 further.
__device__ __forceinline__ void write_query_columns(const float4* sums, float factor, const HeadRows<DTYPE>& to,
                                                    int first, int column, int queries, int depth) {
  const bool odd = threadIdx.x % 2 != 0;
  const float4 x = sums[0], y = sums[128];
  const unsigned top[2] = {pack_pair<DTYPE>(x.x * factor, x.y * factor), pack_pair<DTYPE>(y.x * factor, y.y * factor)};
  const unsigned low[2] = {pack_pair<DTYPE>(x.z * factor, x.w * factor), pack_pair<DTYPE>(y.z * factor, y.w * factor)};
  const unsigned of_top = __shfl_xor_sync(0xffffffffU, odd ? top[0] : top[1], 1);
  const unsigned of_low = __shfl_xor_sync(0xffffffffU, odd ? low[0] : low[1], 1);
  if (column >= depth) return;
  const uint2 above = odd ? uint2{of_top, top[1]} : uint2{top[0], of_top};
  const uint2 below = odd ? uint2{of_low, low[1]} : uint2{low[0], of_low};
  if (first < queries) *reinterpret_cast<uint2*>(to.row(first) + column) = above;
  if (first + 8 < queries) *reinterpret_cast<uint2*>(to.row(first + 8) + column) = below;
}
