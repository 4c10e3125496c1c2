// wgmma_ragged: a persistent kernel in clusters (rung multicast) for any M, N, K.
//
// Idea      TMA reads and writes rows that begin at multiples of 16 bytes; rows of 4093 numbers do not.
//           * An operand with such rows is first copied to a workspace where they are (align_rows.cuh), at the speed
//             of memory; both operands in one launch. An operand whose rows are aligned already is used where it is.
//             What lies behind a row's end in the workspace is never read: the tensor map ends there, and TMA fills
//             up with zeros.
//           * The main loop is multicast's: TMA, warp-specialised, persistent, clusters along M that load B once.
//           * Where rows of D are not aligned, the warps write it (wgmma_rows.cuh): through shared memory, then row
//             by row, in words of D that a funnel shift puts together of neighbouring numbers. No thread waits for a
//             store, so that this hides under the next tile's copies as a store by TMA would.
// Parameters BM, BN, BK tile of a block; GROUP rows of tiles walked together; STAGES; CONSUMERS; CLUSTER; PROMOTE k
//           after which accumulators of fp8 go to fp32.
// Expects   bf16 or fp16; tf32, int8, fp8 in layout nt. Any M, N, K > 0.
// Operations N^3 (1 / BN + 1 / (CLUSTER BM)) reads of L2; in addition one read and one write of each unaligned
//           operand.
// Lacks     small products without a second launch (wgmma_direct).
// Measured on H200, bf16, when align_rows still divided for every 16 bytes. 4095 x 4097 x 4093, BM=256 BN=128: 238.5
//   us, 576 TFLOP/s, 3.67 times as fast as cuBLASLt 13.1's best of 8 [3.67, 3.68] (gemm_sm80: 349.7 us); its tiles
//   are four waves exactly, those of 128 x 256 five: 277.5 us. Layout nt 241.7 us, 4.13. 1021 x 1031 x 1033 20.1 us,
//   1.74. 2039 x 4093 x 509 34.8 us, 1.90. 127 x 8191 x 4099 71.9 us, 0.96: B is moved three times, where once would
//   do.
#include "align_rows.cuh"
#include "wgmma_ring.cuh"
#if D_BY_ROWS  // where the rows of D begin anywhere, so that there is no map of it
#include "wgmma_rows.cuh"
#define MAP_OF_D
#else
#include "wgmma_store.cuh"
#define MAP_OF_D const __grid_constant__ TensorMap map_d,
#endif

constexpr int kRows = BM / CONSUMERS;  // of a consumer
static_assert(GROUP % CLUSTER == 0, "the blocks of a cluster stand in one group");

/// STAGES x { tile of A, tile of B }, then the panels of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         MAP_OF_D const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring{shared_address(shared), full, empty};
  const int group = warpgroup();
  // Clusters are whole: there may be tiles below the last row of D, of zeros, of which nothing is written.
  const int whole_m = (M + BM * CLUSTER - 1) / (BM * CLUSTER) * (BM * CLUSTER);
  const int tiles_of_d = whole_m / BM * ((N - 1) / BN + 1);
  const int first = static_cast<int>(blockIdx.x), step_of_d = static_cast<int>(gridDim.x);
  const unsigned rank = cluster_rank();
  if (threadIdx.x == 0) {
    prefetch_map(map_a);
    prefetch_map(map_b);
    ring.init(CONSUMERS * CLUSTER);
  }
  sync_cluster();

  Place place;
  if (group == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) {
#pragma unroll 1
      for (int t = first; t < tiles_of_d; t += step_of_d) {
        int m0, n0;
        tile_of(t, whole_m, N, m0, n0);
        ring.copy<CLUSTER>(place, map_a, map_b, m0, n0, 0, K, rank);
      }
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned slab = ring.tiles + STAGES * kStageBytes + group * (kPanelsOut * kPanelOutBytes);
#pragma unroll 1
    for (int t = first; t < tiles_of_d; t += step_of_d) {
      int m0, n0;
      tile_of(t, whole_m, N, m0, n0);
      Sum sums[kRows / 64][BN / 2];
      const int last = ring.multiply<kRows, CLUSTER>(sums, place, group * kRows, 0, K,
                                                     BlockScales(GIVEN_SCALES, m0 + group * kRows, n0, M, N, K));
      ring.finish<CLUSTER>(last);
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i)
#if D_BY_ROWS
        store_rows<BN>(sums[i], slab, m0 + group * kRows + i * 64, n0, M, epilogue);
#else
        store_sums<BN>(sums[i], slab, 1 + group, map_d, m0 + group * kRows + i * 64, n0, M, epilogue);
#endif
    }
    if (threadIdx.x % 128 == 0) wait_stores_read<0>();
  }
  __syncwarp();
  sync_cluster();
}
