// Rung 4, reg1d: shared tiles as in smem_tile, and TM elements of one column of D per thread.
//
// Idea      smem_tile loads two numbers from shared memory for every multiply-add. Here a thread owns TM elements one
//           below the other: for each k it loads one number of B and TM of A, which all lanes of a warp share (a
//           broadcast), and makes TM multiply-adds of them. Accumulators are in registers.
// Parameters BM, BN, BK: tile of a block; TM rows per thread. BM * BN / TM is the number of threads.
// Expects   layout nn, D = alpha A B; tiles that hang over an edge are filled with zeros.
// Operations N^3 (1 / BM + 1 / BN) reads of global memory, N^3 (1 + 1 / TM) of shared memory: half of smem_tile's.
// Counted   256^3 fp32, defaults, on the emulated device: 2,097,152 bytes loaded from global memory, 75,497,472 from
//           shared memory; the formula gives the same.
// Lacks     reuse in the other direction: a number of A is loaded for every column (next rung: TM x TN).
// Predicted over smem_tile: 1.5 times fewer wavefronts of shared memory at TM = 8.
// Measured on H200: 4096^3 fp32: 21.1 ms at the defaults, 7.18 ms (19.1 TFLOP/s) with BM=64 BN=64 BK=32 TM=16, by a text
//   that took every layout and epilogue and 75 registers; now they are 54, and the loads and products the same.
#include "common/types.cuh"

// One column more than needed: threads that walk along the other axis hit 32 different banks.
__shared__ float a_tile[BM][BK + 1];
__shared__ float b_tile[BK][BN + 1];

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, DTYPE* __restrict__ D, int M, int N, int K,
         float alpha) {
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread / BN * TM;  // row of the tile
  const int column = thread % BN;

  float accumulators[TM] = {};
  const int steps = K / BK + (K % BK != 0);
  for (int step = 0; step < steps; ++step) {
    const int k0 = step * BK;
    // The fastest index of each loop is the one that is contiguous in memory.
    for (int i = thread; i < BM * BK; i += THREADS) {
      const int row = i / BK, k = i % BK;
      a_tile[row][k] =
          row < M - m0 && k < K - k0 ? to_float(A[static_cast<long long>(m0 + row) * K + k0 + k]) : 0.0f;
    }
    for (int i = thread; i < BK * BN; i += THREADS) {
      const int k = i / BN, n = i % BN;
      b_tile[k][n] = k < K - k0 && n < N - n0 ? to_float(B[static_cast<long long>(k0 + k) * N + n0 + n]) : 0.0f;
    }
    __syncthreads();  // the tiles are complete
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b = b_tile[k][column];
#pragma unroll
      for (int i = 0; i < TM; ++i) accumulators[i] += a_tile[first + i][k] * b;
    }
    __syncthreads();  // nobody reads them any more
  }

#pragma unroll
  for (int i = 0; i < TM; ++i)
    if (first + i < M - m0 && column < N - n0)
      D[static_cast<long long>(m0 + first + i) * N + n0 + column] = from_float<DTYPE>(alpha * accumulators[i]);
}
