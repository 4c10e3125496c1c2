// Rung 8, wmma: tensor cores for the first time, by the instructions that hide how.
//
// Idea      a warp multiplies 16 x 16 x 16 tiles in one instruction: 4096 multiply-adds where 32 lanes of fp32 do 32.
//           wmma.load reads a tile of A or B from shared memory; which lane gets what is the hardware's secret. Tiles of the block lie in two shared buffers: cp.async fills one while
//           the other is multiplied. Rows are padded by 16 bytes, so that the rows of a tile begin in different banks.
// Parameters BM, BN, BK tile of a block; WM, WN of a warp, in tiles of 16 x 16.
// Expects   bf16, fp16 or tf32, layout nn, D = alpha A B; rows of A and B of whole 16 bytes (gemm_sm80 takes any).
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / WM + 1 / WN) shared reads, N^3 / 4096 wmma (tf32: / 2048).
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,835,008 from
//           shared memory; the formula gives the same.
// Lacks     control: where fragments go, a swizzle instead of padding, more than one tile on its way, loads of the next
//           fragments during the multiplication (next rungs).
// Predicted over warp_tile: 1024 multiply-adds of bf16 a cycle and multiprocessor instead of 128, of which an
//           instruction of one warp gets about 63 %: up to 5.
// Measured on H200: 4096^3 bf16, defaults: 848 us, 162 TFLOP/s.
#include "common/sm80/cp_async.cuh"
#include "common/wmma.cuh"

/// 2 x { tile of A, tile of B }, rows padded; then 16 x 16 accumulators of each warp.
extern __shared__ float4 shared[];

constexpr int kChunk = 16 / DTYPE_BYTES;  // elements in the 16 bytes of a copy
constexpr int kK = Wmma<DTYPE>::kK;
constexpr int kRegisters = Wmma<DTYPE>::kRegisters;
constexpr int kWarpsM = BM / WM;

/// A tile of EXTENT rows of A or columns of B by BK, as it lies in memory.
template <int EXTENT, bool K_FIRST>
struct Tile {
  static constexpr int kRows = K_FIRST ? EXTENT : BK;
  static constexpr int kColumns = K_FIRST ? BK : EXTENT;
  static constexpr int kStride = kColumns + kChunk;
  static constexpr int kBytes = kRows * kStride * DTYPE_BYTES;

  /// Copies the tile at (origin, k0) of an operand of `total` by K; zeros beyond its edges.
  static __device__ __forceinline__ void copy(unsigned to, const DTYPE* operand, int origin, int k0, int total, int K) {
    constexpr int kRowChunks = kColumns / kChunk;
    const int row_length = K_FIRST ? K : total;
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kRowChunks; i += THREADS) {
      const int row = i / kRowChunks;
      const int column = i % kRowChunks * kChunk;
      const int x = origin + (K_FIRST ? row : column);
      const int k = k0 + (K_FIRST ? column : row);
      const long long at = static_cast<long long>(K_FIRST ? x : k) * row_length + (K_FIRST ? k : x);
      sm80::cp_async_16(to + (row * kStride + column) * DTYPE_BYTES, operand + at, x < total && k < K);
    }
  }
  /// Address of element (x, k).
  static __device__ __forceinline__ unsigned place(unsigned tile, int x, int k) {
    return tile + (K_FIRST ? x * kStride + k : k * kStride + x) * DTYPE_BYTES;
  }
};

using TileA = Tile<BM, true>;
using TileB = Tile<BN, false>;
constexpr int kStageBytes = TileA::kBytes + TileB::kBytes;

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, DTYPE* __restrict__ D, int M, int N, int K,
         float alpha) {
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int my_m = warp % kWarpsM * WM;
  const int my_n = warp / kWarpsM * WN;
  const unsigned stages = shared_address(shared);

  float accumulators[WM / 16][WN / 16][8] = {};
  const int tiles = K / BK + (K % BK != 0);
  if (tiles > 0) {
    TileA::copy(stages, A, m0, 0, M, K);
    TileB::copy(stages + TileA::kBytes, B, n0, 0, N, K);
  }
  sm80::cp_async_commit();
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned present = stages + tile % 2 * kStageBytes;
    const unsigned other = stages + (tile + 1) % 2 * kStageBytes;
    sm80::cp_async_wait<0>();
    __syncthreads();  // the present tile is complete, and nobody reads the other any more
    if (tile + 1 < tiles) {
      TileA::copy(other, A, m0, (tile + 1) * BK, M, K);
      TileB::copy(other + TileA::kBytes, B, n0, (tile + 1) * BK, N, K);
    }
    sm80::cp_async_commit();
#pragma unroll
    for (int k = 0; k < BK; k += kK) {
      unsigned a[WM / 16][kRegisters];
      unsigned b[WN / 16][kRegisters];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
        load_wmma_a<DTYPE, true>(a[i], TileA::place(present, my_m + i * 16, k), TileA::kStride);
#pragma unroll
      for (int j = 0; j < WN / 16; ++j)
        load_wmma_b<DTYPE, true>(b[j], TileB::place(present + TileA::kBytes, my_n + j * 16, k), TileB::kStride);
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 16; ++j) multiply_wmma<DTYPE, true, true>(accumulators[i][j], a[i], b[j]);
    }
  }
  sm80::cp_async_wait<0>();
  __syncthreads();  // the stages are free for the accumulators

  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* mine = reinterpret_cast<float*>(shared) + warp * 256;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) {
      store_wmma(shared_address(mine), accumulators[i][j], 16);
      __syncwarp();
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        const int row = part * 8 + lane / 4, column = lane % 4 * 4;
        const int m = m0 + my_m + i * 16 + row, n = n0 + my_n + j * 16 + column;
        if (m >= M || n >= N) continue;  // N is a multiple of 4: rows of B are of whole 16 bytes
        Vector<DTYPE, 4> four;
#pragma unroll
        for (int e = 0; e < 4; ++e) four.at[e] = from_float<DTYPE>(alpha * mine[row * 16 + column + e]);
        *reinterpret_cast<Vector<DTYPE, 4>*>(D + static_cast<long long>(m) * N + n) = four;
      }
      __syncwarp();
    }
}
