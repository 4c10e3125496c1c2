// gemm_sm90: the GEMM of Hopper; what the rungs of the ladder decided one by one is decided by measurement here.
//
// Idea      * warp-specialised, persistent: a producer warp issues TMA loads for a pipeline of STAGES tiles, consumer
//             warpgroups multiply, accumulators leave by TMA stores while the next tile is multiplied.
//           * any tile: wgmma has every N from 8 to 256 (BN 96, 160, 192, 224 fit problems that 128 and 256 do not);
//             320 wide as two instructions of 160; consumers share a tile along M or N of wgmma.
//           * SWAP_AB gives wgmma B first (D^T = B^T A^T): then the tile is free along M, in steps of 8 rows.
//           * PINGPONG: each consumer has a tile of its own, one multiplies while the other runs its epilogue.
//           * STREAM_K: whole tiles wave after wave, and the last wave shared out along K.
//           * RASTER 3, serpentine: every second wave of tiles walks k backwards, from what L2 still holds.
//           * C comes by TMA into the epilogue stages while its tile is multiplied (sm90_c_boxes.cuh).
//           * clusters along both sides of D: A is read once per row of the cluster, B once per column (multicast).
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS warpgroups that multiply; CONSUMERS_ALONG_N they share N of
//           wgmma, not M; PINGPONG; SWAP_AB; CLUSTER_M, CLUSTER_N; STREAM_K waves that are shared out; RASTER, GROUP
//           order of the tiles (tile_raster.cuh); IDLE_SMS multiprocessors left out; IN_FLIGHT groups of wgmma that
//           may be unfinished when the next is issued; PROMOTE k after which accumulators of fp8 go to fp32;
//           L2_PROMOTION what L2 fetches at once, bytes; L2_HINTS cache hints: 1 D evict_first, 2 and the operand that
//           a group of tiles shares evict_last, 3 and the other evict_first.
// Expects   bf16 or fp16, any layout; tf32, int8, fp8 with k contiguous in both operands (nt). Rows of A and B of
//           whole 16 bytes, rows of D too. Tiles may hang over every edge. STREAM_K: all blocks on the device at once.
// Operations A is read N / (BN CLUSTER_N) times, B M / (BM CLUSTER_M) times.
// Lacks     energy. From 4096^3 on the GPU lowers its clock to what its power allows (1.58 GHz at 4096^3, 1.35 at
//           8192^3; the tensor pipe is busy for 90 and 94 % of the cycles): what counts is joules per product.
//           A cold start: the first stage is there 5000 cycles after the block began, an eighth of 2048^3.
// Measured on H200 as `hopper`, which had the same main loop; bf16 nn, beside cuBLASLt 13.1's best of 8 in the same
//   rounds (its own pick in brackets): 2048^3 26.4 us, 1.00 (1.02); 4096^3 172.9 us, 1.01 (1.01); 8192^3 1548 us,
//   1.02 (1.05); fp16 1.00, 1.00, 1.02. tf32 nt 4096^3 1.02, 8192^3 1.01. e4m3 nt, fast accumulation: 4096^3 94.1 us,
//   0.99 (1.02); 8192^3 785 us, 1.00 (1.00). int8 nt 1024^3 5.0 us, 1.29. Of 4096^3's gain on the rung persistent
//   most is IDLE_SMS=4 (512 tiles are four whole waves of 128) and PINGPONG. 1536^3 as 132 tiles of 144x128: 0.95,
//   where tiles of whole 32 rows had 0.75. Tiles of more than 160 accumulators a thread: not measured.
//   With C (beta = 1), bf16 nn, on an H200 beside the best of 8: 2048^3 28.2 us, 1.02; 4096^3 184.5 us, 1.01; 8192^3
//   1573 us, 1.02; 8192 x 8192 x 512 126 us, 1.08; 4096^3 to fp32 1.00. When each thread read its own two elements of C
//   it was 0.81 at 4096^3 and slower than gemm_sm80, 0.44, at 8192 x 8192 x 512 (H100).
// Dropped   measured on an H100, same rounds: D from registers 14 to 26 % slower; a cluster's first loads before it has
//           met 3.6 % slower; a second part of fp8 multiplied while one is promoted +1.1 %, behind 256 x 128 without.
#include "common/sm90/stream_k_partials.cuh"
#include "common/sm90/tile_scheduler.cuh"
#include "common/tile_raster.cuh"
#include "sm90_epilogue.cuh"
#include "sm90_mainloop.cuh"
#if C_BY_TMA
#include "sm90_c_boxes.cuh"
#define MAP_OF_C , const __grid_constant__ TensorMap map_c
#else
#define MAP_OF_C
#endif

/// STAGES x { tile of A, tile of B }, then the epilogue stages of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

/// All threads of the cluster.
__device__ __forceinline__ void sync_blocks() {
  if (kCluster > 1)
    cluster_sync();
  else
    __syncthreads();
}

__device__ __forceinline__ TileCoordinate raster(int tile, int rows, int columns) {
  if (RASTER == 1) {
    const TileCoordinate transposed = raster_groups<GROUP>(tile, columns, rows);
    return {transposed.column, transposed.row};
  }
  return RASTER == 2 ? raster_hilbert<GROUP>(tile, rows, columns) : raster_groups<GROUP>(tile, rows, columns);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const Added* __restrict__ bias, const Added* __restrict__ C,
         Out* __restrict__ D, Vector<Accumulator, 4>* partials, unsigned* flags, int M, int N, int K, float alpha,
         float beta MAP_OF_C SCALE_PARAMETERS) {
  __shared__ Mbarrier full[STAGES], empty[STAGES];
#if C_BY_TMA
  __shared__ Mbarrier c_full[CONSUMERS * kStorersOfConsumer * OUT_STAGES];
  if (threadIdx.x == 96) {
    prefetch_tensor_map(map_c);
    init_c_boxes(c_full);
  }
#endif
  const Mainloop mainloop(shared_address(shared), full, empty);
  const int group = warpgroup_index();
  // Maps are far away at first; warps that have nothing to do yet ask for them.
  if (threadIdx.x == 0) prefetch_tensor_map(map_a);
  if (threadIdx.x == 32) prefetch_tensor_map(map_b);
  if (threadIdx.x == 64) prefetch_tensor_map(map_d);

  // Tiles of a cluster, the workers that share them, and the first row and column of this block's.
  const int tiles_m = (M - 1) / (BM * CLUSTER_M) + 1, tiles_n = (N - 1) / (BN * CLUSTER_N) + 1;
  const int stages = (K - 1) / BK + 1;
  const int workers = static_cast<int>(gridDim.x) / kCluster, worker = static_cast<int>(blockIdx.x) / kCluster;
  StreamKScheduler<STREAM_K> scheduler(tiles_m * tiles_n, stages, workers, worker);
  WorkTile work;
  const auto first_element = [&](int tile) {
    const TileCoordinate at = raster(tile, tiles_m, tiles_n);
    return TileCoordinate{(at.row * CLUSTER_M + static_cast<int>(mainloop.row)) * BM,
                          (at.column * CLUSTER_N + static_cast<int>(mainloop.column)) * BN};
  };

  State state;
  const bool produces = threadIdx.x == CONSUMERS * 128;
  // Without a cluster the first stages are on their way before anybody else has begun.
  bool more = false;
  int early = 0;
  if (produces) {
    mainloop.pipeline.init(1, kSharers * kPeers);
    more = scheduler.next(work);
    if (kCluster == 1 && more) {
      const TileCoordinate at = first_element(work.tile);
      early = work.end - work.first < STAGES ? work.end - work.first : STAGES;
      mainloop.load(state, map_a, map_b, at.row, at.column, work.first * BK, early);
    }
  }
  sync_blocks();

  if (group == CONSUMERS) {
    warpgroup_reg_dealloc<PRODUCER_REGISTERS>();
    if (produces) {
      for (; more; more = scheduler.next(work)) {
        const TileCoordinate at = first_element(work.tile);
        const int count = work.end - work.first - early;
        if (RASTER == 3 && work.tile / workers % 2 == 1)  // what the wave before read last is still in L2
          mainloop.load(state, map_a, map_b, at.row, at.column, (stages - 1) * BK, count, -BK);
        else
          mainloop.load(state, map_a, map_b, at.row, at.column, (work.first + early) * BK, count);
        early = 0;
      }
    }
  } else {
    warpgroup_reg_alloc<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned out_stages = mainloop.stages + STAGES * kStageBytes + group * kOutBytesOfConsumer;
    const int part = PINGPONG ? 0 : group;
    const int first_row = CONSUMERS_ALONG_N ? 0 : part * kRows, first_column = CONSUMERS_ALONG_N ? part * kColumns : 0;
    const int of_batch = BATCHED ? static_cast<int>(blockIdx.z) * workers : 0;
    const int rank = static_cast<int>(blockIdx.x) % kCluster;
    const StreamKPartials<Accumulator, kAccumulators> others{partials, flags, kCluster * kSharers,
                                                             rank * kSharers + part};
    Consumer consumer(mainloop, first_row, first_column);
#if C_BY_TMA
    CBoxes c(map_c, c_full, out_stages);
#endif
    const auto skip_tile = [&] {  // the other consumer has it
      scheduler.next(work);
      consumer.state.advance(STREAM_K ? work.end - work.first : stages);
    };
    if (PINGPONG && group == 1) {
      skip_tile();
      NamedBarrier{kPingPong, 256}.arrive();
    }
#pragma unroll 1
    while (scheduler.next(work)) {
      const TileCoordinate at = first_element(work.tile);
      const int m0 = at.row + (SWAP_AB ? first_column : first_row),
                n0 = at.column + (SWAP_AB ? first_row : first_column);
      const WorkTile now = work;
      Accumulators accumulators;
#if C_BY_TMA
      if (scheduler.is_final(now)) c.begin(m0, n0);
#endif
      if (PINGPONG) NamedBarrier{kPingPong + group, 256}.sync();
      const int last =
          consumer.multiply(accumulators, now.first, now.end - now.first, BlockScales(GIVEN_SCALES, m0, n0, M, N, K));
      if (PINGPONG) NamedBarrier{kPingPong + 1 - group, 256}.arrive();
      consumer.finish(last);
      if (PINGPONG) skip_tile();
      Accumulator(&all)[kAccumulators] = *reinterpret_cast<Accumulator(*)[kAccumulators]>(&accumulators);
      if (!scheduler.is_final(now)) {
        wgmma_settle(all);
        others.leave(all, of_batch + worker, 1 + group);
        continue;
      }
      scheduler.for_each_partial(now, [&](int from) { others.add(all, of_batch + from, 1 + group); });
#if C_BY_TMA
      store_with_c(accumulators, c, 1 + group, map_d, m0, n0, M, epilogue);
#else
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        const int m = m0 + (SWAP_AB ? 0 : i * 64), n = n0 + (SWAP_AB ? i * 64 : 0);
        store_by_tma(accumulators[i], out_stages, 1 + group, map_d, m, n, M, epilogue);
      }
#endif
    }
    wait_for_stores();
  }
  __syncwarp();
  if (kCluster > 1) cluster_sync();  // others may still signal this block
}
