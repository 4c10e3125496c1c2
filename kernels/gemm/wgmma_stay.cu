// Rung 20, wgmma_stay: blocks that stay, and sums that leave in the background.
//
// Idea      * one block per multiprocessor takes one tile of D after another. The copying warps do not wait for the
//             sums to be written: they fill the stages for the next tile meanwhile, so that the consumers find them
//             full.
//           * sums leave through shared memory and the copy engine (wgmma_store.cuh): stmatrix, swizzled, then one
//             instruction per 64 rows of 128 bytes; whole lines, and nobody waits for them.
//           Everything else is wgmma_cluster.
// Parameters as wgmma_cluster.
// Expects   as wgmma_tile; rows of D of whole 16 bytes.
// Operations as wgmma_cluster.
// Lacks     while one warpgroup writes its sums the tensor cores have only the other's products.
// Measured on H200: 4096^3 bf16, BN=256: 179.2 us, 767 TFLOP/s, 0.99 times as fast as cuBLASLt 13.1's best of 8 (178.7
//   us); 8192^3: 1586 us, 0.99 of its best, 1.02 of its own pick; 2048^3: 28.6 us, 0.96. wgmma_cluster: 231 us at
//   4096^3.
#include "wgmma_ring.cuh"
#if D_BY_ROWS  // wgmma_ragged where the rows of D begin anywhere, so that there is no map of it
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
