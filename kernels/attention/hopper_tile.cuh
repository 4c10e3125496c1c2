#pragma once
// What the rungs on wgmma share: 64 queries of a warpgroup against tiles of BN keys and values, which TMA has put into
// shared memory. Depths that are no multiple of 64 have panels that TMA fills up with zeros; products run over DEPTH and
// VALUE_DEPTH.
#include "common/sm90/accumulator.cuh"
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/pipeline.cuh"
#include "common/sm90/stmatrix.cuh"
#include "common/sm90/warpgroup.cuh"
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N BN
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N VALUE_DEPTH
#include "common/sm90/wgmma_instruction.cuh"
#include "problem.cuh"
#include "softmax_tile.cuh"
#include "window.cuh"

// Panels of 64 numbers, 128 bytes, along a query or key, and along a value.
constexpr int kPanels = (DEPTH + 63) / 64, kValuePanels = (VALUE_DEPTH + 63) / 64;
static_assert(kValuePanels <= kPanels, "O leaves by where the queries were");
using TileOfQueries = SmemTile<DTYPE, 64, kPanels * 64, Major::K>;
using TileOfKeys = SmemTile<DTYPE, BN, kPanels * 64, Major::K>;     // a column of the product is a key
using TileOfValues = SmemTile<DTYPE, kValuePanels * 64, BN, Major::MN>;  // a column of the product is a number of a value
using ScoreProduct = Wgmma<DTYPE, BN, Major::K, Major::K, ASource::Shared>;
using ValueProduct = Wgmma<DTYPE, VALUE_DEPTH, Major::K, Major::MN, ASource::Registers>;
using Scores = float[BN / 2];
using Outputs = float[VALUE_DEPTH / 2];
using Weights = unsigned[BN / 16][4];

/// s = Q K^T, issued and committed, not awaited.
__device__ __forceinline__ void issue_scores(Scores& s, unsigned queries, unsigned keys) {
#pragma unroll
  for (int step = 0; step < DEPTH / 16; ++step)
    ScoreProduct::mma(s, TileOfQueries::describe(queries, 0, step), TileOfKeys::describe(keys, 0, step), step > 0);
  wgmma_commit();
}

/// o = P V, or o += P V, issued and committed, not awaited.
__device__ __forceinline__ void issue_values(Outputs& o, const Weights& p, unsigned values, bool accumulate) {
#pragma unroll
  for (int step = 0; step < BN / 16; ++step)
    ValueProduct::mma(o, p[step], TileOfValues::describe(values, 0, step), accumulate || step > 0);
  wgmma_commit();
}

__device__ __forceinline__ void pack_all(Weights& p, const Scores& s) {
#pragma unroll
  for (int step = 0; step < BN / 16; ++step) pack_weights<DTYPE>(p[step], s, step);
}

/// What a warpgroup knows of its 64 queries, from `first` on: how many keys each of this lane's two rows sees, and the
/// least of the 64 (it decides for all which tiles are masked); of a window, where it begins at the latest.
struct RowsOfWarpgroup {
  int visible[2], least, latest;

  __device__ __forceinline__ RowsOfWarpgroup(int first, int queries, int keys) {
    const int own = first + static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
    visible[0] = visible_keys(own, queries, keys);
    visible[1] = visible_keys(own + 8, queries, keys);
    least = visible_keys(first, queries, keys);
    latest = first_visible(visible_keys(first + 63, queries, keys));
  }
  /// A tile of scores of BN keys from `first_key` on, where it lies on an edge of what the rows see.
  __device__ __forceinline__ void mask(Scores& s, int first_key) const {
    if (first_key + BN > least) mask_tile(s, first_key, visible);
    if (WINDOW > 0 && first_key < latest) mask_before(s, first_key, {first_visible(visible[0]), first_visible(visible[1])});
  }
};

/// O of the warpgroup's 64 queries to where its queries were, and from there by TMA, which leaves out rows and numbers
/// that are not there. All 128 threads; returns when the memory may be written again.
__device__ __forceinline__ void store_output(const Outputs& o, unsigned tile, const TensorMap& map, int first, int head,
                                             int b, NamedBarrier barrier) {
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const int row = thread / 32 * 16 + lane % 16;
#pragma unroll
  for (int step = 0; step < VALUE_DEPTH / 16; ++step) {
    unsigned a[4];
    pack_weights<DTYPE>(a, o, step);
    stmatrix_x4(tile + TileOfQueries::place(row, 16 * step + lane / 16 * 8), a[0], a[1], a[2], a[3]);
  }
  fence_proxy_async();
  barrier.sync();
  if (thread == 0) {
#pragma unroll
    for (int panel = 0; panel < kValuePanels; ++panel)
      TmaStore::store(map, tile + panel * TileOfQueries::kPanelBytes, panel * 64, first, head, b);
    tma_store_commit();
    tma_store_wait_read<0>();
  }
}

__device__ __forceinline__ void store_lse(const float (&lse)[2], float* LSE, int first, int queries) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  const int row = first + thread / 32 * 16 + thread % 32 / 4;
  if (thread % 4 != 0) return;
  if (row < queries) LSE[row] = lse[0];
  if (row + 8 < queries) LSE[row + 8] = lse[1];
}
