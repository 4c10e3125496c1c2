// Rung 27, hopper: all of the Hopper rungs in one, as parameters.
//
// Idea      * blocks that stay, a warpgroup that copies, consumers that multiply, sums that leave by the copy engine:
//             wgmma_stay. What the rungs before decided is decided by measurement here.
//           * any tile: wgmma has every n from 8 to 256 (BN 96, 160, 192, 224 fit problems that 128 and 256 do not);
//             320 wide as two instructions of 160; consumers share a tile by rows or by columns of wgmma.
//           * SWAP gives wgmma B first (D^T = B^T A^T): then the tile is free along M, in steps of 8 rows.
//           * whole tiles wave after wave, and the last wave shared out along K: wgmma_stream (STREAM).
//           * clusters along both sides of D: A is read once per row of the cluster, B once per column.
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS warpgroups that multiply; SPLIT_COLUMNS consumers share the
//           columns of wgmma, not its rows; TURNS each has a tile of its own (wgmma_turns); SWAP; CLUSTER_M, CLUSTER_N;
//           STREAM waves that are shared out; LEAD stages that the first consumer is ahead of the others, so that they
//           do not all write their sums at one time; RASTER, GROUP order of the tiles (hopper_raster.cuh); IDLE
//           multiprocessors left out; IN_FLIGHT groups of products that may be unfinished when the next is issued;
//           EPILOGUE 0 by the copy engine, SLABS pieces on their way, 1 from registers; WARM stages that L2 is asked
//           for ahead of the copy engine; PROMOTE k after which sums of fp8 go to fp32; PRODUCER_REGISTERS; PROMOTION
//           what L2 fetches at once, bytes.
// Expects   as wgmma_tile; EPILOGUE 0: rows of D of whole 16 bytes.
// Operations A is read N / (BN CLUSTER_N) times, B M / (BM CLUSTER_M) times.
// Lacks     energy. From 4096^3 on the GPU lowers its clock to what its power allows (1.58 GHz at 4096^3, 1.35 at
//           8192^3; the tensor pipe is busy for 90 and 94 % of the cycles): what counts is joules per product.
//           A cold start: the first stage is there 5000 cycles after the block began, an eighth of 2048^3.
// Measured on H200, bf16 nn, beside cuBLASLt 13.1's best of 8 in the same rounds (its own pick in brackets): 2048^3
//   26.4 us, 1.00 (1.02); 4096^3 172.9 us, 1.01 (1.01); 8192^3 1548 us, 1.02 (1.05); fp16 1.00, 1.00, 1.02. tf32 nt
//   4096^3 1.02, 8192^3 1.01. e4m3 nt, fast sums: 4096^3 94.1 us, 0.99 (1.02); 8192^3 785 us, 1.00 (1.00). int8 nt
//   1024^3 5.0 us, 1.29. Of 4096^3's gain on wgmma_stay most is IDLE=4 (512 tiles are four whole waves of 128) and
//   TURNS. 1536^3 as 132 tiles of 144x128: 0.95, where tiles of whole 32 rows had 0.75.
#include "hopper_raster.cuh"
#include "hopper_ring.cuh"
#include "hopper_store.cuh"
#include "wgmma_work.cuh"

/// STAGES x { tile of A, tile of B }, then the slabs of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

/// All threads of the cluster.
__device__ __forceinline__ void sync_blocks() {
  if (kCluster > 1)
    sync_cluster();
  else
    __syncthreads();
}
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const DTYPE* __restrict__ A, const DTYPE* __restrict__ B,
         const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, Vector<Sum, 4>* left,
         unsigned* flags, int M, int N, int K, float alpha, float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring(shared_address(shared), full, empty);
  const int group = warpgroup();
  // Maps are far away at first; warps that have nothing to do yet ask for them.
  if (threadIdx.x == 0) prefetch_map(map_a);
  if (threadIdx.x == 32) prefetch_map(map_b);
  if (EPILOGUE == 0 && threadIdx.x == 64) prefetch_map(map_d);

  // Tiles of a cluster, the workers that share them, and the first row and column of this block's.
  const int tiles_m = (M - 1) / (BM * CLUSTER_M) + 1, tiles_n = (N - 1) / (BN * CLUSTER_N) + 1;
  const int stages = (K - 1) / BK + 1;
  const int workers = static_cast<int>(gridDim.x) / kCluster, worker = static_cast<int>(blockIdx.x) / kCluster;
  WorkList work(tiles_m * tiles_n, stages, workers, worker);
  Piece piece;
  const auto place_of = [&](int tile) {
    const TileOfD at = tile_of(tile, tiles_m, tiles_n);
    return TileOfD{(at.row * CLUSTER_M + static_cast<int>(ring.row)) * BM,
                   (at.column * CLUSTER_N + static_cast<int>(ring.column)) * BN};
  };

  Place place;
  const bool copies = threadIdx.x == CONSUMERS * 128;
  // The first stages are on their way before anybody else has begun, where no other block has to be ready for them.
  bool more = false;
  int early = 0;
  if (copies) {
    ring.init();
    more = work.next(piece);
    if (kCluster == 1 && more) {
      const TileOfD at = place_of(piece.tile);
      early = piece.end - piece.first < STAGES ? piece.end - piece.first : STAGES;
      ring.copy(place, map_a, map_b, at.row, at.column, piece.first * BK, early);
    }
  } else if (WARM > 0 && group < CONSUMERS) {
    WorkList first = work;
    if (!first.next(piece)) piece = {0, 0, 0};
    const TileOfD at = place_of(piece.tile);
    const int thread = static_cast<int>(threadIdx.x);
    warm<BM, kAContiguous>(of_batch(A, static_cast<long long>(M) * K), at.row, M, piece.first * BK, K, thread);
    warm<BN, kBContiguous>(of_batch(B, static_cast<long long>(K) * N), at.column, N, piece.first * BK, K, thread);
  }
  sync_blocks();

  if (group == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (copies) {
      for (; more; more = work.next(piece)) {
        const TileOfD at = place_of(piece.tile);
        ring.copy(place, map_a, map_b, at.row, at.column, (piece.first + early) * BK, piece.end - piece.first - early);
        early = 0;
      }
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
    const unsigned slabs = ring.tiles + STAGES * kStageBytes + group * kSlabsOfConsumer;
    const int part = TURNS ? 0 : group;
    const int first_row = SPLIT_COLUMNS ? 0 : part * kRows, first_column = SPLIT_COLUMNS ? part * kColumns : 0;
    const int of_batch = BATCHED ? static_cast<int>(blockIdx.z) * workers : 0;
    const int rank = static_cast<int>(blockIdx.x) % kCluster;
    const LeftSums<kSums> others{left, flags, kCluster * CONSUMERS, rank * CONSUMERS + group};
    Consumer consumer(ring, first_row, first_column);
    const auto skip_turn = [&] {  // the other consumer has the next tile
      work.next(piece);
      consumer.place.skip(stages);
    };
    if (TURNS && group == 1) {
      skip_turn();
      pass_turn(kTurn, 256);
    }
    if (LEAD > 0 && group > 0) sync_threads(kLead, CONSUMERS * 128);
    bool leads = LEAD > 0 && group == 0;
#pragma unroll 1
    while (work.next(piece)) {
      const TileOfD at = place_of(piece.tile);
      const int m0 = at.row + (SWAP ? first_column : first_row), n0 = at.column + (SWAP ? first_row : first_column);
      const Piece now = piece;
      Sums sums;
      if (TURNS) sync_threads(kTurn + group, 256);
      const int last =
          consumer.multiply(sums, now.first, now.end - now.first, leads, BlockScales(GIVEN_SCALES, m0, n0, M, N, K));
      leads = false;
      if (TURNS) pass_turn(kTurn + 1 - group, 256);
      consumer.finish(last);
      if (TURNS) skip_turn();
      Sum(&all)[kSums] = *reinterpret_cast<Sum(*)[kSums]>(&sums);
      if (!work.finishes(now)) {
        settle_sums(all);
        others.leave(all, of_batch + worker, 1 + group);
        continue;
      }
      work.for_each_left(now, [&](int from) { others.add(all, of_batch + from, 1 + group); });
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i) {
        const int m = m0 + (SWAP ? 0 : i * 64), n = n0 + (SWAP ? i * 64 : 0);
        if (EPILOGUE == 0)
          store_piece(sums[i], slabs, 1 + group, map_d, m, n, M, epilogue);
        else
          write_piece(sums[i], m, n, M, epilogue);
      }
    }
    if (leads) pass_turn(kLead, CONSUMERS * 128);  // there was nothing to do
    stores_read();
  }
  __syncwarp();
  if (kCluster > 1) sync_cluster();  // others may still signal this block
}
