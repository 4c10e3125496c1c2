// Rung 7, warp_tile: fp32 as far as it goes: warps whose multiply-adds never wait.
//
// Idea      async_tile, and what is left between it and the peak:
//           * the numbers of the next k are loaded from shared memory while the present ones are multiplied, across the
//             barrier too: behind it the first step has its operands in registers already;
//           * the copies of the next tile are issued during the first steps of the present one, not before them;
//           * the warp tile WM x WN is chosen, not implied: at 64 x 32 a warp reads 96 numbers for 2048 multiply-adds;
//             16 x 8 accumulators per thread (64 x 64) read 24 for 128, where 8 x 8 read 16 for 64;
//           * GROUP rows of tiles are walked together, for L2.
// Parameters BM, BN, BK tile of a block; WM, WN of a warp (a thread has WM WN / 32 accumulators); STAGES; GROUP;
//           MIN_BLOCKS per SM to leave registers for.
// Expects   fp32; any M, N, K, layout, alignment.
// Operations N^3 (1 / BM + 1 / BN) global reads; N^3 (LANES_M / WM + LANES_N / WN) shared reads for N^3 multiply-adds.
// Counted   256^3 fp32, defaults, on the emulated device: 1,048,576 bytes loaded from global memory, 16,842,752 from
//           shared memory; the formula gives the same.
// Lacks     tensor cores.
// Predicted over async_tile: the counts are the same. What it can win are waits: 1.3 if none were left.
// Measured on H200: 4096^3 fp32: 2.676 ms, 51.4 TFLOP/s, BM=64 BN=256 BK=16 WM=64 WN=64 STAGES=3;
//   cuBLASLt 13.1 in the same rounds 2.680 ms: 1.001 [1.001, 1.002] times as fast.
#include "async_operand.cuh"
#include "common/tile_raster.cuh"

extern __shared__ float4 shared[];  // STAGES x { A: BK x OperandA::kStride, B: BK x OperandB::kStride } floats

constexpr int TM = WM / LANES_M;  // accumulators of a thread: TM x TN
constexpr int TN = WN / LANES_N;
constexpr int kWarpsM = BM / WM;
constexpr int kPasses = OperandA::kPasses + OperandB::kPasses;

/// The numbers of one k.
struct Step {
  float a[TM];
  float b[TN];
  __device__ __forceinline__ void load(const float* of_a, const float* of_b, int k) {
    load_groups(a, of_a + k * OperandA::kStride, LANES_M * 4);
    load_groups(b, of_b + k * OperandB::kStride, LANES_N * 4);
  }
};

/// Passes [begin, end) of both operands' next tiles.
__device__ __forceinline__ void copy_passes(const OperandA& a, const OperandB& b, unsigned stage, int begin, int end,
                                            bool wanted) {
#pragma unroll
  for (int i = 0; i < kPasses; ++i) {
    if (i < begin || i >= end) continue;
    if (i < OperandA::kPasses)
      a.copy(stage, i, wanted);
    else
      b.copy(stage + OperandA::kFloats * 4, i - OperandA::kPasses, wanted);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const float* __restrict__ A, const float* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const TileCoordinate at =
      raster_groups<GROUP>(static_cast<int>(blockIdx.x), (M - 1) / BM + 1, (N - 1) / BN + 1);
  const int m0 = at.row * BM, n0 = at.column * BN;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int my_m = warp % kWarpsM * WM + lane_m(lane) * 4;  // first row and column of this thread in the tile
  const int my_n = warp / kWarpsM * WN + lane_n(lane) * 4;

  OperandA a(A, m0, M, K);
  OperandB b(B, n0, N, K);
  const unsigned ring = shared_address(shared);
  float accumulators[TM][TN] = {};

  // The ragged tile comes first, so that the others need no look at the end of k.
  const int tiles = K / BK + (K % BK != 0);
  if (tiles > 0) {
    const int depth = K - (tiles - 1) * BK;
    a.copy_first(ring, depth);
    b.copy_first(ring + OperandA::kFloats * 4, depth);
    a.advance(depth);
    b.advance(depth);
    sm80::cp_async_commit();
#pragma unroll
    for (int stage = 1; stage < STAGES - 1; ++stage) {
      copy_passes(a, b, ring + stage * kStageFloats * 4, 0, kPasses, stage < tiles);
      a.advance(BK);
      b.advance(BK);
      sm80::cp_async_commit();
    }
    sm80::cp_async_wait<STAGES - 2>();
    __syncthreads();

    const float* first = reinterpret_cast<const float*>(shared);
    const float* read = first;
    unsigned write = ring + (STAGES - 1) * kStageFloats * 4;
    Step steps[2];
    steps[0].load(read + my_m, read + OperandA::kFloats + my_n, 0);
    constexpr int kCopySteps = 2;  // ptxas puts three empty loads before each group of copies: few groups
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      const bool wanted = tile + STAGES - 1 < tiles;
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k < kCopySteps) copy_passes(a, b, write, k * kPasses / kCopySteps, (k + 1) * kPasses / kCopySteps, wanted);
        if (k == BK - 1) {
          sm80::cp_async_commit();  // one group per tile, so the count tells
          a.advance(BK);
          b.advance(BK);
          sm80::cp_async_wait<STAGES - 2>();
          __syncthreads();  // the next tile is complete, and nobody reads the present one any more
          write = ring + static_cast<unsigned>(read - first) * 4;
          read = read == first + (STAGES - 1) * kStageFloats ? first : read + kStageFloats;
        }
        steps[(k + 1) % 2].load(read + my_m, read + OperandA::kFloats + my_n, (k + 1) % BK);
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
          for (int j = 0; j < TN; ++j) accumulators[i][j] += steps[k % 2].a[i] * steps[k % 2].b[j];
      }
    }
  }

  write_groups(accumulators, m0 + my_m, n0 + my_n, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
