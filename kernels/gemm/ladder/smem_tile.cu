// Rung 3, smem_tile: a block fetches tiles of A and B together and every thread uses all of its row and column.
//
// Idea      a block computes BM x BN elements of D, one per thread. For each step of BK along K its threads load the
//           BM x BK tile of A and the BK x BN tile of B once, coalesced whatever the layout is, into shared memory.
//           Each element of A is then loaded N / BN times instead of N, each of B M / BM times instead of M.
// Parameters BM, BN, BK: tile extents. BM * BN is the number of threads.
// Expects   anything; tiles that hang over an edge are filled with zeros.
// Operations 2 N^3 / L reads of global memory (L = BM = BN), 2 N^3 of shared memory.
// Counted   256^3 fp32, defaults, on the emulated device: 4,194,304 bytes loaded from global memory, 134,217,728 from
//           shared memory; the formula gives the same.
// Lacks     work per shared-memory load: two loads for one multiply-add, so that shared memory, not arithmetic, is the
//           limit (next rungs: many elements of D per thread, kept in registers).
// Predicted over outer_product: 15 times fewer sectors, but 32 multiply-adds now cost two wavefronts of shared memory:
//           16 a cycle and multiprocessor, 16 ms at 4096^3 and 1.98 GHz. Slower, until a thread computes more (reg1d).
// Measured on H200: 21.81 ms, 6.30 TFLOP/s (fp32, 4096^3): 1.04 times the coalesced rung, half of outer_product.
#include "operands.cuh"

// One column more than needed: threads that walk along the other axis hit 32 different banks.
__shared__ Accumulator a_tile[BM][BK + 1];
__shared__ Accumulator b_tile[BK][BN + 1];

// The fastest index of each loop is the one that is contiguous in memory.
__device__ __forceinline__ void fetch_a(const DTYPE* A, const Scales& scales, int m0, int k0, int M, int K) {
  for (int i = threadIdx.x; i < BM * BK; i += BM * BN) {
    const int row = TRANS_A ? i % BM : i / BK;
    const int k = TRANS_A ? i / BM : i % BK;
    a_tile[row][k] = row < M - m0 && k < K - k0 ? a_at(A, m0 + row, k0 + k, M, K) * scales.of_a(m0 + row, k0 + k, K)
                                                : Accumulator(0);
  }
}

__device__ __forceinline__ void fetch_b(const DTYPE* B, const Scales& scales, int k0, int n0, int N, int K) {
  for (int i = threadIdx.x; i < BK * BN; i += BM * BN) {
    const int k = TRANS_B ? i % BK : i / BN;
    const int column = TRANS_B ? i / BK : i % BN;
    b_tile[k][column] = k < K - k0 && column < N - n0
                            ? b_at(B, k0 + k, n0 + column, N, K) * scales.of_b(k0 + k, n0 + column, K)
                            : Accumulator(0);
  }
}

extern "C" __global__ void __launch_bounds__(BM* BN)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const int row = static_cast<int>(threadIdx.x) / BN;
  const int column = static_cast<int>(threadIdx.x) % BN;

  const Scales scales = GIVEN_SCALES.of(blockIdx.z, M, N, K);
  Accumulator sum = 0;
  const int steps = K / BK + (K % BK != 0);
  for (int step = 0; step < steps; ++step) {
    fetch_a(A, scales, m0, step * BK, M, K);
    fetch_b(B, scales, step * BK, n0, N, K);
    __syncthreads();  // the tiles are complete
#pragma unroll
    for (int k = 0; k < BK; ++k) sum += a_tile[row][k] * b_tile[k][column];
    __syncthreads();  // nobody reads them any more
  }

  if (row < M - m0 && column < N - n0)
    Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES)(m0 + row, n0 + column, sum);
}
