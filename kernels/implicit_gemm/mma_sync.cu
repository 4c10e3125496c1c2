// Rung 1, mma_sync: a product of matrices on tensor cores, the first of them made while it is loaded.
//
// Idea       row p of A has what the filters meet around pixel p, SIZE^2 C numbers, and a column of B has a filter: y = A B.
//            A (im2col) would be SIZE^2 times x. It is never written: a tile of BK channels of one place (u, v) of the filters
//            is x itself, moved by that place, and its 16 bytes go to shared memory by cp.async, or zeros beyond the edges.
// Parameters BM pixels x BN filters of a block, WM x WN of a warp, BK channels a step; STAGES tiles in flight.
// Expects    channels in whole packets of 8; sm_80 or later.
// Counted    tensor FLOPs as the formula has them where C is whole tiles; x is asked for SIZE^2 times a BN, by L2 most of it.
// Lacks      wgmma and TMA (whose im2col mode makes the addresses); 2-byte stores of y.
#include "common/sm80/cp_async.cuh"
#include "common/sm80/ldmatrix.cuh"
#include "common/sm80/mma_sync.cuh"
#include "common/sm80/swizzle.cuh"

constexpr int kChunks = BK / 8;  // of 16 bytes in a row of a tile
constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
using Row = sm80::Swizzle<BK * 2>;
constexpr int kBytesA = BM * BK * 2, kStageBytes = (BM + BN) * BK * 2;

/// Tile `tile` of A and of W, tiles going through the channels of one place of the filters after another.
__device__ __forceinline__ void copy_tile(unsigned to, const DTYPE* X, const DTYPE* W, int tile, int first_pixel, int first_filter,
                                          int pixels, int M, int N, int C, int F) {
  const int tiles = (C + BK - 1) / BK;
  const int place = tile / tiles, first = tile % tiles * BK;
  const int down = place / SIZE - SIZE / 2, right = place % SIZE - SIZE / 2;
  for (int i = static_cast<int>(threadIdx.x); i < BM * kChunks; i += kThreads) {
    const int pixel = first_pixel + i / kChunks, channel = first + i % kChunks * 8;
    const int row = pixel / N % M + down, column = pixel % N + right;
    const bool inside = pixel < pixels && row >= 0 && row < M && column >= 0 && column < N && channel < C;
    const long long at = (pixel + static_cast<long long>(down) * N + right) * C + channel;
    sm80::cp_async_16(to + Row::offset(i / kChunks, i % kChunks), inside ? X + at : X, inside);
  }
  for (int i = static_cast<int>(threadIdx.x); i < BN * kChunks; i += kThreads) {
    const int filter = first_filter + i / kChunks, channel = first + i % kChunks * 8;
    const bool inside = filter < F && channel < C;
    const long long at = (static_cast<long long>(filter) * SIZE * SIZE + place) * C + channel;
    sm80::cp_async_16(to + kBytesA + Row::offset(i / kChunks, i % kChunks), inside ? W + at : W, inside);
  }
}

extern __shared__ float4 shared[];

extern "C" __global__ void __launch_bounds__(kThreads)
mma_sync(const DTYPE* __restrict__ X, const DTYPE* __restrict__ W, DTYPE* __restrict__ Y, int pixels, int M, int N, int C, int F) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first_pixel = static_cast<int>(blockIdx.x) * BM, first_filter = static_cast<int>(blockIdx.y) * BN;
  const int m = warp % (BM / WM) * WM, n = warp / (BM / WM) * WN;  // of the warp in the block's tile
  const unsigned begin = shared_address(shared);
  const int tiles = SIZE * SIZE * ((C + BK - 1) / BK);
  const auto copy = [&](int tile) {
    if (tile < tiles) copy_tile(begin + tile % STAGES * kStageBytes, X, W, tile, first_pixel, first_filter, pixels, M, N, C, F);
    sm80::cp_async_commit();
  };
  float accumulators[WM / 16][WN / 8][4] = {};
#pragma unroll
  for (int tile = 0; tile < STAGES - 1; ++tile) copy(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();  // this tile is there, and nobody reads the one before it
    copy(tile + STAGES - 1);
    const unsigned a_tile = begin + tile % STAGES * kStageBytes, b_tile = a_tile + kBytesA;
#pragma unroll
    for (int k = 0; k < BK / 16; ++k) {
      unsigned a[WM / 16][4], b[WN / 16][4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) sm80::ldmatrix_x4(a[i], a_tile + Row::offset(m + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < WN / 16; ++j)
        sm80::ldmatrix_x4(b[j], b_tile + Row::offset(n + j * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) sm80::mma_m16n8k16<DTYPE>(accumulators[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int pixel = first_pixel + m + i * 16 + lane / 4 + e / 2 * 8;
        const int filter = first_filter + n + j * 8 + lane % 4 * 2 + e % 2;
        if (pixel < pixels && filter < F) Y[static_cast<long long>(pixel) * F + filter] = from_float<DTYPE>(accumulators[i][j][e]);
      }
}
