// Rung 26, wgmma_stream: wgmma_stay, and the last wave shared out among all blocks (stream-K).
//
// Idea      288 tiles on 132 multiprocessors take three rounds, of which the third keeps 24 of them busy. Here the
//           tiles that do not fill a round are taken to pieces along K, and every cluster gets as many stages of k;
//           who ends a tile adds what others left of it in a workspace, in order of k (wgmma_work.cuh). STREAM=2
//           shares out the round before too, so that no piece is short.
//           Everything else is wgmma_stay.
// Parameters as wgmma_stay; STREAM waves that are shared out.
// Expects   as wgmma_stay. Worth it where tiles leave much of the last wave empty and K is long.
// Operations as wgmma_stay; at most one tile of sums per block written and read again, 8 bytes each.
// Lacks     several blocks to add up one tile: where there are much fewer tiles than blocks, wgmma_split.
// Measured on H200, bf16 nn, beside cuBLASLt 13.1's best of 8: 3072^3 88.2 us with STREAM=2, 89.1 with 0, 0.88 times as
//   fast; 4096^3 184.4 us, 0.96; 2048^3 28.1 us, best with STREAM=0, 0.97. 512 x 512 x 8192 23.3 us, 0.60: wgmma_split
//   takes 16.2.
#include "wgmma_ring.cuh"
#include "wgmma_store.cuh"
#include "wgmma_work.cuh"

constexpr int kRows = BM / CONSUMERS;  // of a consumer
constexpr int kSums = kRows / 64 * BN / 2;
static_assert(GROUP % CLUSTER == 0, "the blocks of a cluster stand in one group");

/// STAGES x { tile of A, tile of B }, then the panels of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const Added* __restrict__ bias, const Added* __restrict__ C,
         Out* __restrict__ D, Vector<Sum, 4>* left, unsigned* flags, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring{shared_address(shared), full, empty};
  const int group = warpgroup();
  // Clusters are whole: there may be tiles below the last row of D, of zeros, of which nothing is written.
  const int whole_m = (M + BM * CLUSTER - 1) / (BM * CLUSTER) * (BM * CLUSTER);
  const int tiles_of_d = whole_m / BM * ((N - 1) / BN + 1);
  const unsigned rank = cluster_rank();
  const int workers = static_cast<int>(gridDim.x) / CLUSTER, worker = static_cast<int>(blockIdx.x) / CLUSTER;
  WorkList work(tiles_of_d / CLUSTER, (K - 1) / BK + 1, workers, worker);
  Piece piece;
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
      while (work.next(piece)) {
        int m0, n0;
        tile_of(piece.tile * CLUSTER + static_cast<int>(rank), whole_m, N, m0, n0);
        ring.copy<CLUSTER>(place, map_a, map_b, m0, n0, piece.first * BK, piece.end * BK, rank);
      }
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned slab = ring.tiles + STAGES * kStageBytes + group * (kPanelsOut * kPanelOutBytes);
    const int of_batch = BATCHED ? static_cast<int>(blockIdx.z) * workers : 0;
    const LeftSums<kSums> others{left, flags, CLUSTER * CONSUMERS, static_cast<int>(rank) * CONSUMERS + group};
#pragma unroll 1
    while (work.next(piece)) {
      int m0, n0;
      tile_of(piece.tile * CLUSTER + static_cast<int>(rank), whole_m, N, m0, n0);
      Sum sums[kRows / 64][BN / 2];
      const int last = ring.multiply<kRows, CLUSTER>(sums, place, group * kRows, piece.first * BK, piece.end * BK,
                                                     BlockScales(GIVEN_SCALES, m0 + group * kRows, n0, M, N, K));
      ring.finish<CLUSTER>(last);
      Sum(&all)[kSums] = *reinterpret_cast<Sum(*)[kSums]>(&sums);
      if (!work.finishes(piece)) {
        settle_sums(all);
        others.leave(all, of_batch + worker, 1 + group);
        continue;
      }
      work.for_each_left(piece, [&](int from) { others.add(all, of_batch + from, 1 + group); });
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i)
        store_sums<BN>(sums[i], slab, 1 + group, map_d, m0 + group * kRows + i * 64, n0, M, epilogue);
    }
    if (threadIdx.x % 128 == 0) wait_stores_read<0>();
  }
  __syncwarp();
  sync_cluster();
}
