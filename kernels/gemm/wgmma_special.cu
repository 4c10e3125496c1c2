// Rung 18, wgmma_special: warps that copy and warps that multiply.
//
// Idea      * a ring of STAGES tiles in shared memory. The last warpgroup does nothing but ask the copy engine for the
//             next tile as soon as a stage is empty; the others do nothing but multiply full stages. Nobody needs to
//             be told twice: two barriers a stage, `full` (the bytes have come) and `empty` (all consumers are done
//             with it), and no barrier of the block in the loop.
//           * CONSUMERS warpgroups share a tile of B, each with BM / CONSUMERS rows of A.
//           * one group of products stays in flight while the next is issued: a stage is given back one tile late.
//           * the copying warps give up most of their registers to those that hold sums (setmaxnreg).
// Parameters BM, BN, BK tile of a block; STAGES; CONSUMERS; GROUP rows of tiles walked together.
// Expects   as wgmma_tile.
// Operations as wgmma_tile.
// Lacks     B and A are read by every block that needs them: neighbours could share one copy (cluster_multicast).
// Measured on H200: 4096^3 bf16, BN=256 STAGES=3: 229 us, 599 TFLOP/s; wgmma_tile 262 us.
#include "wgmma_ring.cuh"
#include "wgmma_sums.cuh"

constexpr int kRows = BM / CONSUMERS;  // of a consumer

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
  tile_of(static_cast<int>(blockIdx.x), M, N, m0, n0);
  if (threadIdx.x == 0) ring.init(CONSUMERS);
  __syncthreads();

  Place place;
  if (group == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) ring.copy<1>(place, map_a, map_b, m0, n0, 0, K, 0);
  } else {
    take_registers<CONSUMER_REGISTERS>();
    Sum sums[kRows / 64][BN / 2];
    const int last = ring.multiply<kRows, 1>(sums, place, group * kRows, 0, K,
                                             BlockScales(GIVEN_SCALES, m0 + group * kRows, n0, M, N, K));
    ring.finish<1>(last);
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
#pragma unroll
    for (int i = 0; i < kRows / 64; ++i)
      write_sums<BN>(sums[i], static_cast<int>(threadIdx.x) % 128, m0 + group * kRows + i * 64, n0, M, N, epilogue);
  }
}
