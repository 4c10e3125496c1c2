// Rung 6, async_tile: the 2D register tile, fed by cp.async through a ring of STAGES tiles.
//
// Idea      reg2d fetches the next tile into registers, multiplies, and stores it to shared memory: registers that hold
//           nothing but data in transit, and one tile of look-ahead at most. cp.async (sm_80) writes shared memory
//           directly and in the background, so that STAGES - 1 tiles are on their way at no cost in registers, with one
//           barrier per tile. Operands whose k is contiguous are transposed on the way, 4 bytes per copy
//           (async_operand.cuh); those also make unaligned rows a matter of course.
// Parameters BM, BN, BK tile of a block; TM, TN of a thread; STAGES; MIN_BLOCKS per SM to leave registers for.
// Expects   fp32; any M, N, K, layout, alignment.
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / TM + 1 / TN) shared reads, for N^3 multiply-adds.
// Counted   256^3 fp32, defaults, on the emulated device: 1,048,576 bytes loaded from global memory, 16,777,216 from
//           shared memory; the formula gives the same.
// Lacks     work across the barrier: behind it every warp first waits for its loads from shared memory (next rung).
// Predicted over reg2d: 0.75 of the instructions, as many wavefronts, and FMA units that were busy already: 1.0 to 1.1.
// Measured on H200: 4096^3 fp32: 2.820 ms at the defaults (reg2d: 2.904), 2.703 ms (50.9 TFLOP/s) at best.
#include "async_operand.cuh"

extern __shared__ float4 shared[];  // STAGES x { A: BK x OperandA::kStride, B: BK x OperandB::kStride } floats

constexpr int kWarpM = LANES_M * TM;  // rows of D that a warp computes
constexpr int kWarpN = LANES_N * TN;
constexpr int kWarpsM = BM / kWarpM;

__device__ __forceinline__ void copy_tile(const OperandA& a, const OperandB& b, unsigned stage, bool wanted) {
#pragma unroll
  for (int i = 0; i < OperandA::kPasses; ++i) a.copy(stage, i, wanted);
#pragma unroll
  for (int i = 0; i < OperandB::kPasses; ++i) b.copy(stage + OperandA::kFloats * 4, i, wanted);
}

__device__ __forceinline__ void multiply(float (&accumulators)[TM][TN], const float* a, const float* b) {
#pragma unroll
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
    gemm(const float* __restrict__ A, const float* __restrict__ B, const Added* __restrict__ bias,
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
  const unsigned ring = shared_address(shared);
  float accumulators[TM][TN] = {};

  // The ragged tile comes first, so that the others need no look at the end of k.
  const int tiles = K / BK + (K % BK != 0);
  const int depth = K - (tiles - 1) * BK;
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage == 0 && tiles > 0) {
      a.copy_first(ring, depth);
      b.copy_first(ring + OperandA::kFloats * 4, depth);
    } else {
      copy_tile(a, b, ring + stage * kStageFloats * 4, stage < tiles);
    }
    a.advance(stage == 0 ? depth : BK);
    b.advance(stage == 0 ? depth : BK);
    sm80::cp_async_commit();
  }
  int read = 0;
  int write = STAGES - 1;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    sm80::cp_async_wait<STAGES - 2>();  // one group per tile, so the count tells
    __syncthreads();            // the tile is complete, and nobody reads the one before any more
    copy_tile(a, b, ring + write * kStageFloats * 4, tile + STAGES - 1 < tiles);
    sm80::cp_async_commit();
    a.advance(BK);
    b.advance(BK);
    const float* stage = reinterpret_cast<const float*>(shared) + read * kStageFloats;
    multiply(accumulators, stage + my_m, stage + OperandA::kFloats + my_n);
    write = read;
    read = read == STAGES - 1 ? 0 : read + 1;
  }

  write_groups(accumulators, m0 + my_m, n0 + my_n, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
