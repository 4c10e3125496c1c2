// Rung 5, reg2d: every thread computes TM x TN elements of D in registers.
//
// Idea      an outer product. For each k a thread loads TM numbers of A and TN of B from shared memory and makes
//           TM * TN multiply-adds of them: 64 for 4 loads of 16 bytes at 8 x 8; smem_tile needs two loads for each.
//           What carries it:
//           * both tiles lie k-major in shared memory (A is transposed on the way in, if it must be), so that the
//             numbers of one k are consecutive and come 4 at a time;
//           * a thread's TM rows are TM / 4 groups of 4 that lie LANES_M * 4 apart, so that a warp reads consecutive
//             16-byte words;
//           * the lanes of a warp are numbered in Z order over its LANES_M x LANES_N grid: lanes i and i ^ 1 share
//             their B and lanes i and i ^ 2 their A, which lets the hardware serve a half warp's 16-byte loads at once;
//           * global memory is read 4 elements at a time wherever alignment and edges allow, else one by one.
//           16-bit types are widened to fp32 on their way into shared memory; all arithmetic is fp32.
// Parameters BM, BN, BK tile of a block; TM, TN tile of a thread; PAD words after each row of the shared tiles (4 means
//           fewer bank conflicts when a tile is transposed on the way in); DB = 1: two shared tiles, and the next one
//           travels to registers while the present one is multiplied; MIN_BLOCKS blocks per SM for which registers are
//           kept.
// Operations N^3 (1 / BM + 1 / BN) reads of global memory, N^3 (1 / TM + 1 / TN) of shared memory.
// Counted   256^3 fp32, defaults, on the emulated device: 1,081,344 bytes loaded from global memory, 16,777,216 from
//           shared memory; the formula gives the same.
// Expects   anything. Rows whose length is not a multiple of 4 elements are read one by one, which costs speed.
// Lacks     tensor cores; asynchronous copies that bypass the registers.
// Predicted over reg1d: 4.7 times fewer wavefronts at 8 x 8. From there the FMA units are the limit: 2.05 ms at 4096^3
//           and 1.98 GHz, ten times as fast as reg1d at most.
// Measured on H200: 2.761 ms, 49.8 TFLOP/s (fp32, 4096^3): 7.9 times the shared-memory tile.
#include "lane_grid.cuh"
#include "register_operand.cuh"

// Derived in reg2d.toml: THREADS = BM * BN / (TM * TN); LANES_M * LANES_N = 32 threads of a warp over rows and columns.
constexpr int kWarpM = LANES_M * TM;  // rows of D that a warp computes
constexpr int kWarpN = LANES_N * TN;
constexpr int kWarpsM = BM / kWarpM;

extern __shared__ float4 shared[];  // [1 + DB] x { A: BK x (BM + PAD), B: BK x (BN + PAD) } floats

using OperandA = RegisterOperand<BM, !TRANS_A>;
using OperandB = RegisterOperand<BN, TRANS_B>;
constexpr int kTileA = BK * OperandA::kStride;  // floats
constexpr int kTile = kTileA + BK * OperandB::kStride;

/// k of a tile that are unrolled: more than 8 take up to twice as long to compile.
constexpr int kUnroll = BK < 8 ? BK : 8;

/// accumulators += A tile * B tile for this thread's rows (from `a` on) and columns (from `b` on).
template <int UNROLL>
__device__ __forceinline__ void multiply(float (&accumulators)[TM][TN], const float* a, const float* b) {
#pragma unroll UNROLL
  for (int k = 0; k < BK; ++k) {
    float of_a[TM];
    float of_b[TN];
    load_groups(of_a, a + k * OperandA::kStride, LANES_M * 4);
    load_groups(of_b, b + k * OperandB::kStride, LANES_N * 4);
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) accumulators[i][j] += of_a[i] * of_b[j];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int my_m = warp % kWarpsM * kWarpM + lane_m(lane) * 4;  // first row and column of this thread in the tile
  const int my_n = warp / kWarpsM * kWarpN + lane_n(lane) * 4;

  OperandA a(A, m0, M, K);
  OperandB b(B, n0, N, K);
  float* tile = reinterpret_cast<float*>(shared);
  float accumulators[TM][TN] = {};

  const int tiles = a.whole && b.whole ? K / BK : 0;  // the ones that need no look at edges
  if (DB && tiles > 0) {
    a.fetch();
    b.fetch();
    a.store(tile);
    b.store(tile + kTileA);
    __syncthreads();
    int present = 0;
    for (int t = 1; t <= tiles; ++t) {
      // The last tile is fetched once too often: cheaper than a branch in the loop, or a second copy of its body.
      if (t < tiles) {
        a.advance();
        b.advance();
      }
      a.fetch();
      b.fetch();
      multiply<kUnroll>(accumulators, tile + present + my_m, tile + present + kTileA + my_n);
      present = kTile - present;
      a.store(tile + present);
      b.store(tile + present + kTileA);
      __syncthreads();  // the new tile is complete, and nobody reads the old one any more
    }
  }
  if (!DB) {
    for (int t = 0; t < tiles; ++t) {
      a.fetch();
      b.fetch();
      a.advance();
      b.advance();
      a.store(tile);
      b.store(tile + kTileA);
      __syncthreads();  // the tile is complete
      multiply<kUnroll>(accumulators, tile + my_m, tile + kTileA + my_n);
      __syncthreads();  // nobody reads it any more
    }
  }
  // The rest, rolled up so that it costs neither registers nor compile time.
#pragma unroll 1
  for (int k0 = tiles * BK; k0 < K; k0 += BK) {
    a.copy_one_by_one(tile, k0, K - k0);
    b.copy_one_by_one(tile + kTileA, k0, K - k0);
    __syncthreads();
    multiply<1>(accumulators, tile + my_m, tile + kTileA + my_n);
    __syncthreads();
  }

  write_groups(accumulators, m0 + my_m, n0 + my_n, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
