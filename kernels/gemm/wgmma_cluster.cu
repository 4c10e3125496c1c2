// Rung 19, wgmma_cluster: neighbouring blocks share what they copy.
//
// Idea      * CLUSTER blocks one below the other in D need the same tile of B. Each copies a CLUSTER-th of it and has
//             the copy engine write that part into the shared memory of all of them (multicast): B is read from L2
//             once instead of CLUSTER times.
//           * a stage may be filled when the consumers of all blocks of the cluster have emptied it, since each
//             block's copies write into all: consumers arrive at the `empty` barriers of every block.
//           * nobody leaves before the last arrival: a block that has ended has no shared memory.
//           Everything else is wgmma_special.
// Parameters as wgmma_special, and CLUSTER.
// Expects   as wgmma_tile.
// Operations N^3 (1 / (CLUSTER BM) + 1 / BN) reads of L2.
// Lacks     the sums are written while nobody multiplies.
// Measured on H200: 4096^3 bf16: 231 us with clusters of one, as wgmma_special; sharing B gains nothing here, since it
//   is the wait for the sums to be written that costs (wgmma_stay). Arriving at the other blocks' barriers with
//   .release.cluster, as one would write it at first, makes it 305 us: the default suffices, since wgmma has read what
//   is given back.
#include "wgmma_ring.cuh"
#include "wgmma_sums.cuh"

constexpr int kRows = BM / CONSUMERS;  // of a consumer
static_assert(GROUP % CLUSTER == 0, "the blocks of a cluster stand in one group");

/// STAGES x { tile of A, tile of B }.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K,
         float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring{shared_address(shared), full, empty};
  const int group = warpgroup();
  int m0, n0;
  // Clusters are whole: there may be tiles below the last row of D, of zeros, of which nothing is written.
  tile_of(static_cast<int>(blockIdx.x), (M + BM * CLUSTER - 1) / (BM * CLUSTER) * (BM * CLUSTER), N, m0, n0);
  const unsigned rank = cluster_rank();
  if (threadIdx.x == 0) ring.init(CONSUMERS * CLUSTER);
  sync_cluster();

  Place place;
  if (group == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) ring.copy<CLUSTER>(place, map_a, map_b, m0, n0, 0, K, rank);
  } else {
    take_registers<CONSUMER_REGISTERS>();
    Sum sums[kRows / 64][BN / 2];
    const int last = ring.multiply<kRows, CLUSTER>(sums, place, group * kRows, 0, K,
                                                   BlockScales(GIVEN_SCALES, m0 + group * kRows, n0, M, N, K));
    ring.finish<CLUSTER>(last);
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
#pragma unroll
    for (int i = 0; i < kRows / 64; ++i)
      write_sums<BN>(sums[i], static_cast<int>(threadIdx.x) % 128, m0 + group * kRows + i * 64, n0, M, N, epilogue);
  }
  __syncwarp();
  sync_cluster();
}
