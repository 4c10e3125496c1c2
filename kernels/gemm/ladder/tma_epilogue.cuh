#pragma once
// The epilogue from rung tma_store on: accumulators of a warpgroup, 64 rows by BN columns, through shared memory to D.
// stmatrix gathers 64 x 64 numbers, rows of 128 bytes swizzled so that neither side has bank conflicts; TMA stores them
// while the warpgroup goes on. Of two such epilogue stages one is written while the other is stored.
#include "common/sm90/named_barrier.cuh"
#include "common/sm90/stmatrix.cuh"
#include "hopper_rung.cuh"

constexpr int kOutColumns = 64;
constexpr int kOutStageBytes = 64 * 128;
constexpr int kOutStages = 2;
constexpr int kOutBytes = kOutStages * kOutStageBytes;  // of a warpgroup

/// `out`: shared address of this warpgroup's stages, 1024 bytes aligned; `barrier`: its named barrier. The caller waits
/// for the last stores (tma_store_wait_read, thread 0 of the warpgroup) before it exits.
__device__ __forceinline__ void store_by_tma(const float (&accumulators)[BN / 2], unsigned out, int barrier,
                                             const TensorMap& map_d, int m0, int n0, float alpha) {
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  const int row = thread / 32 * 16 + lane % 16;
  const NamedBarrier warpgroup{barrier, 128};
  // The next call begins with stage 0: after an odd number of fills that is the one stored last.
  constexpr int kFills = BN / kOutColumns, kStillRead = kFills % kOutStages == 0 ? kOutStages - 1 : 0;
#pragma unroll
  for (int fill = 0; fill < kFills; ++fill) {
    const unsigned stage = out + fill % kOutStages * kOutStageBytes;
    if (thread == 0) tma_store_wait_read<kStillRead>();
    warpgroup.sync();  // the stage is free
#pragma unroll
    for (int j = 0; j < kOutColumns / 16; ++j) {
      const float* x = accumulators + fill * (kOutColumns / 2) + j * 8;
      unsigned words[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) words[i] = pack_two<DTYPE>(alpha * x[i * 2], alpha * x[i * 2 + 1]);
      stmatrix_x4(stage + row * 128 + ((j * 2 + lane / 16) ^ row % 8) * 16, words[0], words[1], words[2], words[3]);
    }
    fence_proxy_async();
    warpgroup.sync();  // the stage is whole
    if (thread == 0) {
      TmaStore::store(map_d, stage, n0 + fill * kOutColumns, m0);
      tma_store_commit();
    }
  }
}
