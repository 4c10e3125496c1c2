// Rung 22, wgmma_swap: few rows of D (8 to 128 tokens), all of B read at the speed of memory.
//
// Idea      * wgmma multiplies 64 rows whether there are so many or not, but from 8 columns on. So the operands change
//             places: D^T = B^T A^T. The 64 rows are columns of D, the N of the instruction is M. Nothing is transposed
//             in memory: wgmma reads either order, and the sums are written where they belong.
//           * what counts is bytes on their way: one warp does nothing but copy, STAGES tiles ahead.
//           * where N alone has too few tiles for the device, the blocks of a cluster share K. Each sends its sums to
//             the shared memory of those that add them up (st.async), in order of rank: the same bit for bit from run
//             to run, without a workspace, and a barrier of the cluster only at the beginning, where it costs nothing.
// Parameters ROWS columns of D per block; COLUMNS rows of D per block (the N of the instruction); BK; STAGES; SPLIT
//           blocks of a cluster, which share K; MIN_BLOCKS per SM.
// Expects   bf16 or fp16; tf32, int8 in layout nt. Rows of A and B of whole 16 bytes. Worth it up to M of about 128.
// Operations N K + M K ceil(N / ROWS) global reads.
// Lacks     a schedule over tiles of unequal length.
// Measured on H200, bf16 nn, beside cuBLASLt 13.1's best of 8. N x K 4096 x 4096: M = 1 12.4 us, 1.16 times as fast
//   [1.13, 1.17]; M = 16 12.5 us, 1.17; M = 64 15.4 us, 0.92; M = 128 17.8 us, 0.93. 14336 x 4096: M = 1 31.4 us, 1.06;
//   M = 16 0.99; M = 64 1.01; M = 128 0.88. 4096 x 14336: M = 1 31.7 us, 1.01; M = 16 0.99; M = 64 0.95; M = 128 0.97.
#define WGMMA_N COLUMNS
#include "cluster_sums.cuh"
#include "epilogue.cuh"
#include "wgmma_promote.cuh"
#include "wgmma_tile.cuh"

using TileB = Tile<ROWS, TRANS_B != 0>;     // the first operand of wgmma
using TileA = Tile<COLUMNS, TRANS_A == 0>;  // the second
constexpr int kStageBytes = TileB::kBytes + TileA::kBytes;
constexpr int kSums = ROWS / 64 * COLUMNS / 2;  // of a thread
using ShareOfSums = ClusterSums<kSums, SPLIT, 128>;

/// STAGES x { tile of B, tile of A }, then what the others of the cluster send.
extern __shared__ __align__(1024) unsigned char shared[];

/// Where sum `at` of this thread belongs: columns of D along the rows of wgmma.
__device__ __forceinline__ void write_sum(int at, Sum sum, int m0, int n0, int M, int N, const Epilogue& epilogue) {
  const int thread = static_cast<int>(threadIdx.x);
  const int within = at % (COLUMNS / 2);
  const int n = n0 + at / (COLUMNS / 2) * 64 + thread / 32 * 16 + thread % 32 / 4 + within / 2 % 2 * 8;
  const int m = m0 + within / 4 * 8 + thread % 4 * 2 + within % 2;
  if (m < M && n < N) epilogue(m, n, sum);
}

/// Factors of scales=block, for `promote`: columns of D along the rows of wgmma, so b belongs to all sums of a thread.
struct SwappedFactors {
  const float* a;  // of this thread's first row of D, for the k asked for
  int blocks, rows;
  Sum b;
  __device__ __forceinline__ Sum of(int sum) const {
    const int down = sum / 4 * 8 + sum % 2;
    return b * a[static_cast<long long>(down < rows ? down : rows < 0 ? 0 : rows) * blocks];
  }
};
struct SwappedScales {
  Scales scales;
  int m0, n0, M, N, K;
  __device__ __forceinline__ SwappedFactors of(int row, int k) const {
    if constexpr (SCALES != 2) return {};
    const int last = K - 1, n = n0 + row, m = m0 + static_cast<int>(threadIdx.x) % 4 * 2;
    const int at = k < last ? k : last;  // beyond K all products are 0
    const int blocks = Scales::blocks(K);
    return {scales.a + static_cast<long long>(m < M ? m : M - 1) * blocks + at / Scales::kBlock, blocks, M - 1 - m,
            scales.of_b(at, n < N ? n : N - 1, K)};
  }
};

extern "C" __global__ void __launch_bounds__(160, MIN_BLOCKS)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES], sent;
  const unsigned tiles = shared_address(shared);
  const int part = static_cast<int>(blockIdx.x) % SPLIT;
  const int n0 = static_cast<int>(blockIdx.x) / SPLIT * ROWS;
  const int m0 = static_cast<int>(blockIdx.y) * COLUMNS;
  const int tiles_of_k = (K - 1) / BK + 1;
  const int first = static_cast<int>(static_cast<long long>(tiles_of_k) * part / SPLIT);
  const int end = static_cast<int>(static_cast<long long>(tiles_of_k) * (part + 1) / SPLIT);
  if (threadIdx.x == 0) {
    prefetch_map(map_a);
    prefetch_map(map_b);
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], 1);
    }
    init_barrier(&sent, 1);
    fence_barriers();
    arrive_and_expect(&sent, ShareOfSums::kSentBytes);
  }
  __syncthreads();
  if (SPLIT > 1) arrive_in_cluster();

  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
#pragma unroll 1
      for (int tile = first; tile < end; ++tile) {
        const int stage = (tile - first) % STAGES;
        const unsigned round = static_cast<unsigned>((tile - first) / STAGES);
        const unsigned at = tiles + stage * kStageBytes;
        wait(&empty[stage], (round & 1) ^ 1);  // at first all are
        arrive_and_expect(&full[stage], kStageBytes);
        TileB::load(at, map_b, n0, tile * BK, static_cast<int>(blockIdx.z), &full[stage]);
        TileA::load(at + TileB::kBytes, map_a, m0, tile * BK, static_cast<int>(blockIdx.z), &full[stage]);
      }
    }
    __syncwarp();
    if (SPLIT > 1) wait_for_cluster();
    return;
  }

  Sum sums[ROWS / 64][COLUMNS / 2] = {};
#pragma unroll 1
  for (int tile = first; tile < end; ++tile) {
    const int stage = (tile - first) % STAGES;
    const unsigned at = tiles + stage * kStageBytes;
    wait(&full[stage], static_cast<unsigned>((tile - first) / STAGES) & 1);
    if constexpr (PROMOTE != 0) {
      promote<TileB, TileA>(sums, at, 0, at + TileB::kBytes, tile * BK,
                            SwappedScales{GIVEN_SCALES.of(blockIdx.z, M, N, K), m0, n0, M, N, K});
      if (threadIdx.x == 0) arrive(&empty[stage]);
      continue;
    }
    fence_sums();
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int i = 0; i < ROWS / 64; ++i)
        multiply_tiles<!TRANS_B, TRANS_A>(sums[i], TileB::describe_step(at, i * 64, step),
                                          TileA::describe_step(at + TileB::kBytes, 0, step), true);
    commit_products();
    if (tile > first) {
      wait_products<1>();
      if (threadIdx.x == 0) arrive(&empty[(tile - first - 1) % STAGES]);
    }
  }
  wait_products<0>();
#pragma unroll
  for (int i = 0; i < ROWS / 64; ++i) settle_sums(sums[i]);

  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  const Sum(&mine)[kSums] = *reinterpret_cast<const Sum(*)[kSums]>(&sums);
  if constexpr (SPLIT == 1) {
#pragma unroll
    for (int at = 0; at < kSums; ++at) write_sum(at, mine[at], m0, n0, M, N, epilogue);
  } else {
    // Each block adds up its share of the tile. The others have begun by now.
    wait_for_cluster();
    Sum share[ShareOfSums::kShare];
    ShareOfSums{tiles + STAGES * kStageBytes, static_cast<int>(threadIdx.x), part}.exchange(mine, share, &sent, 0, 1);
#pragma unroll
    for (int i = 0; i < ShareOfSums::kShare; ++i)
      write_sum(part * ShareOfSums::kShare + i, share[i], m0, n0, M, N, epilogue);
  }
}
