// Q K^T by wgmma of N = 64, its accumulators handed over as the A operand of wgmma of N = DEPTH; O by a TMA that adds.
#include "common/sm90/accumulator.cuh"
#include "common/sm90/pipeline.cuh"
#include "common/sm90/wgmma.cuh"
#define WGMMA_INSTRUCTION_N 64
#include "common/sm90/wgmma_instruction.cuh"
#define WGMMA_INSTRUCTION_N DEPTH
#include "common/sm90/wgmma_instruction.cuh"

constexpr int kRows = 64, kKeys = 64;
using TileQ = SmemTile<DTYPE, kRows, DEPTH, Major::K>;
using TileK = SmemTile<DTYPE, kKeys, DEPTH, Major::K>;
using TileV = SmemTile<DTYPE, DEPTH, kKeys, Major::MN>;  // x is a column of V, k one of its rows
constexpr int kStageBytes = TileK::kBytes + TileV::kBytes;

/// Q, then STAGES x { K, V }; in the end O, rows of DEPTH floats.
extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(128, 1)
    two_products(const __grid_constant__ TensorMap map_q, const __grid_constant__ TensorMap map_k,
                 const __grid_constant__ TensorMap map_v, const __grid_constant__ TensorMap map_o, int N) {
  __shared__ Mbarrier full[STAGES], empty[STAGES], q_full;
  const Pipeline<STAGES> pipeline{full, empty};
  const unsigned tile_q = shared_address(shared), stages = tile_q + TileQ::kBytes;
  const int m0 = static_cast<int>(blockIdx.x) * kRows;
  const int tiles = (N - 1) / kKeys + 1;
  if (threadIdx.x == 0) {
    q_full.init(1);
    pipeline.init(1, 1);
  }
  __syncthreads();

  PipelineState<STAGES> loading;
  int loaded = 0;
  const auto load_next = [&] {
    if (threadIdx.x != 0 || loaded == tiles) return;
    const CachePolicy once = CachePolicy::evict_first();
    pipeline.acquire(loading);
    pipeline.expect(loading, kStageBytes);
    const unsigned stage = stages + loading.index * kStageBytes;
    TileK::load(once, stage, map_k, full[loading.index], loaded * kKeys, 0);
    TileV::load(once, stage + TileK::kBytes, map_v, full[loading.index], 0, loaded * kKeys);
    loading.advance();
    ++loaded;
  };
  if (threadIdx.x == 0) {
    q_full.arrive_expect_tx(TileQ::kBytes);
    TileQ::load(tile_q, map_q, q_full, m0, 0);
  }
  for (int i = 0; i < STAGES; ++i) load_next();
  q_full.wait(0);

  float o[DEPTH / 2] = {};
  PipelineState<STAGES> state;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const unsigned stage = stages + state.index * kStageBytes;
    pipeline.wait(state);
    float s[kKeys / 2];
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < TileQ::kSteps; ++step)
      Wgmma<DTYPE, kKeys, Major::K, Major::K>::mma(s, TileQ::describe(tile_q, 0, step), TileK::describe(stage, 0, step),
                                                   step > 0);
    wgmma_commit();
    wgmma_wait<0>();
    wgmma_settle(s);
    unsigned p[TileV::kSteps][4];
#pragma unroll
    for (int step = 0; step < TileV::kSteps; ++step) to_operand<DTYPE>(p[step], s, step);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < TileV::kSteps; ++step)
      Wgmma<DTYPE, DEPTH, Major::K, Major::MN, ASource::Registers>::mma(
          o, p[step], TileV::describe(stage + TileK::kBytes, 0, step), true);
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();  // all four warps are done with the stage
    if (threadIdx.x == 0) pipeline.release(state);
    state.advance();
    load_next();
  }
  wgmma_settle(o);

  const AccumulatorLayout layout;
  float* out = reinterpret_cast<float*>(shared);
#pragma unroll
  for (int i = 0; i < DEPTH / 2; ++i) out[layout.row(i) * DEPTH + layout.column(i)] = o[i];
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    TmaStore::reduce_add(map_o, tile_q, 0, m0);
    tma_store_commit();
    tma_store_wait<0>();
  }
}
