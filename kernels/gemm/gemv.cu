// gemv: up to 16 rows of A against a B that is read once, as fast as memory gives it.
//
// Idea      with M rows a byte of B is good for M multiply-adds (bf16): below about 16 rows memory is the limit, tiles
//           are useless, and all that counts is to keep 40 KiB and more per multiprocessor on their way. Two ways:
//           MMA 0  multiply-adds: loads of 16 bytes past L1 to registers, UNROLL of them before the first is used
//                  (gemv_fma.cuh). Any alignment, any type.
//           MMA 1  tensor cores: converting every number of B and multiplying it M times costs more than reading it
//           from
//                  M = 4 on. B goes by cp.async through a ring in shared memory, and is a fragment of mma.sync as it
//                  stands (gemv_mma.cuh).
//           In both, WARPS_K warps of a block share the k of the same columns and add partial sums in shared memory. So
//           that there are enough loads on their way for any shape, K is split among SPLIT_K blocks as well: each
//           leaves its partial sums in a workspace, and the last one to arrive (a counter) adds them, always in the
//           same order.
// Parameters MMA; WARPS_K warps along K. MMA 0: ROWS columns of D per warp (.t) or LANES lanes side by side (.n);
// UNROLL
//           loads on their way per column (.t) or thread (.n). MMA 1: WARPS_N warps side by side along N; TILES
//           fragments' worth of columns per warp; STAGES; SPLIT_K blocks along K.
// Expects   M <= 16. MMA 0: any N, K, layout, rows of B that are no multiple of 16 bytes are read in smaller chunks.
//           MMA 1: bf16, fp16, tf32 (int8: layouts .t); rows of B of whole 16 bytes.
// Operations one read of B from memory. MMA 0: M reads of A per ROWS (.t) or VEC (.n) numbers of B, from L1. MMA 1: one
//           read of A per WARPS_N warps' columns, from L1 or L2.
// Counted   1 x 512 x 1024 bf16, MMA=1, on the emulated device: 1,073,280 bytes loaded from global memory, 1,277,952
//           from shared memory; the first by the formula: 1,073,152.
// Lacks     MMA 0: loads on their way: ptxas puts each of the UNROLL loads just before its arithmetic, so that 3 or 4
//           are.
// Measured on H200, bf16, beside cuBLASLt 13.1. MMA 0: 1 x 4096 x 4096 nn 14.8 us (2.27 TB/s), 0.97; nt 12.5 us, 1.17,
//   WARPS_K=8 ROWS=2 LANES=4 UNROLL=8; 8 x 8192 x 8192 nn 51.0 us, 0.69. MMA 1: nt: 1 x 4096 x 4096 12.7 us, 1.16 times
//   as fast; 8 x 8192 x 8192 36.8 us (3.65 TB/s), 0.99; 16 x 16384 x 4096 39.1 us, 0.95. nn: 20.7 us, 0.70, and 67.3
//   us, 0.53: gemm_sm80 is better there.
#include "common/semaphore.cuh"
#if MMA
#include "gemv_mma.cuh"
#else
#include "gemv_fma.cuh"
extern __shared__ uint4 shared[];  // the accumulators of the warps
#endif

constexpr int kBlockColumns = kColumns * WARPS_N;
constexpr int kBlockAccumulators = M_ROWS * kBlockColumns;

/// `words`: 0 for each block column, and left so.
extern "C" __global__ void __launch_bounds__(THREADS)
    gemv(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, Accumulator* parts, unsigned* words, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M_ROWS) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int block_n = static_cast<int>(blockIdx.x) * kBlockColumns;
  const int warp_n = warp % WARPS_N * kColumns;
  Accumulators accumulators = {};
  accumulate(accumulators, A, B, block_n + warp_n, N, K);
  Accumulator(*of_warps)[kBlockAccumulators] = reinterpret_cast<Accumulator(*)[kBlockAccumulators]>(shared);
  for_each_accumulator(accumulators, [&](int m, int column, Accumulator sum) {
    if (m < M_ROWS) of_warps[warp / WARPS_N][m * kBlockColumns + warp_n + column] = sum;
  });
  __syncthreads();

  const Epilogue epilogue(bias, C, D, M_ROWS, N, alpha, beta, GIVEN_SCALES);
  const long long place = (BATCHED ? blockIdx.z * static_cast<long long>(gridDim.x) : 0) + blockIdx.x;
  Accumulator* of_blocks = parts + place * SPLIT_K * kBlockAccumulators;
  for (int i = thread; i < kBlockAccumulators; i += THREADS) {
    Accumulator sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS_K; ++w) sum += of_warps[w][i];
    const int n = block_n + i % kBlockColumns;
    if (SPLIT_K > 1)
      of_blocks[blockIdx.y * kBlockAccumulators + i] = sum;
    else if (n < N)
      epilogue(i / kBlockColumns, n, sum);
  }
  if (SPLIT_K == 1) return;
  __shared__ int is_last;
  __syncthreads();
  if (thread == 0) {
    is_last = add_acquire_release(words + place, 1) == SPLIT_K - 1;
    if (is_last) store_release(words + place, 0);
  }
  __syncthreads();
  if (!is_last) return;
  for (int i = thread; i < kBlockAccumulators; i += THREADS) {
    Accumulator sum = 0;
#pragma unroll
    for (int part = 0; part < SPLIT_K; ++part) sum += of_blocks[part * kBlockAccumulators + i];
    const int n = block_n + i % kBlockColumns;
    if (n < N) epilogue(i / kBlockColumns, n, sum);
  }
}
