// Rung 21, wgmma_turns: two consumers that take turns ("ping-pong").
//
// Idea      each of two warpgroups has a tile of D of its own. While one multiplies, the other writes its sums: the
//           tensor cores never wait for anybody's epilogue. They multiply in turns, a whole tile at a time, so that
//           each finds its stages full; the turn is passed on by a barrier of the block, and a consumer skips the
//           stages of the other. Everything else is wgmma_stay.
// Parameters as wgmma_stay; BM, BN tile of a consumer.
// Expects   as wgmma_stay.
// Operations as wgmma_stay, with tiles half as large: more reads of L2 for the same sums.
// Lacks     tiles of 128 x 256: a consumer's registers hold 128 x 128 or 64 x 256 sums.
// Measured on H200: 4096^3 bf16, 128 x 128, 6 stages: 182.3 us, 754 TFLOP/s, against 179.2 of wgmma_stay: what the
//   epilogue no longer costs, the smaller tiles do.
#include "wgmma_ring.cuh"
#include "wgmma_store.cuh"

constexpr int kTurn = 4;  // named barriers kTurn, kTurn + 1: it is consumer 0's turn to multiply, consumer 1's
static_assert(GROUP % CLUSTER == 0, "the blocks of a cluster stand in one group");

/// STAGES x { tile of A, tile of B }, then the panels of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

/// The other consumer, which waits at the barrier, may go on.
__device__ __forceinline__ void pass_turn(int barrier) {
  asm volatile("bar.arrive %0, 256;" ::"r"(barrier) : "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const Added* __restrict__ bias, const Added* __restrict__ C,
         Out* __restrict__ D, int M, int N, int K, float alpha, float beta SCALE_PARAMETERS) {
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
    ring.init(CLUSTER);
  }
  sync_cluster();

  Place place;
  if (group == 2) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == 2 * 128) {
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
    const int stages_of_tile = (K + BK - 1) / BK;
    if (group == 1) {
      place.skip(stages_of_tile);
      pass_turn(kTurn);
    }
#pragma unroll 1
    for (int t = first + group * step_of_d; t < tiles_of_d; t += 2 * step_of_d) {
      int m0, n0;
      tile_of(t, whole_m, N, m0, n0);
      Sum sums[BM / 64][BN / 2];
      sync_threads(kTurn + group, 256);
      const int last = ring.multiply<BM, CLUSTER>(sums, place, 0, 0, K, BlockScales(GIVEN_SCALES, m0, n0, M, N, K));
      pass_turn(kTurn + 1 - group);
      ring.finish<CLUSTER>(last);
      place.skip(stages_of_tile);
#pragma unroll
      for (int i = 0; i < BM / 64; ++i) store_sums<BN>(sums[i], slab, 1 + group, map_d, m0 + i * 64, n0, M, epilogue);
    }
    if (threadIdx.x % 128 == 0) wait_stores_read<0>();
  }
  __syncwarp();
  sync_cluster();
}
