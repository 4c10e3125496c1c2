// Rung 27, hopper: all of the Hopper rungs in one, as parameters.
//
// Idea      * blocks that stay, a warpgroup that copies, consumers that multiply, sums that leave by the copy engine:
//             wgmma_stay. What the rungs before decided is decided by measurement here.
//           * any tile: wgmma has every n from 8 to 256 (BN 96, 160, 192, 224 fit problems that 128 and 256 do not);
//             320 wide as two instructions of 160; consumers share a tile by rows or by columns of wgmma.
//           * SWAP gives wgmma B first (D^T = B^T A^T): then the tile is free along M, in steps of 8 rows.
//           * clusters along both sides of D: A is read once per row of the cluster, B once per column.
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS warpgroups that multiply; SPLIT_COLUMNS consumers share the
//           columns of wgmma, not its rows; TURNS each has a tile of its own (wgmma_turns); SWAP; CLUSTER_M, CLUSTER_N;
//           LEAD stages that the first consumer is ahead of the others, so that they do not all write their sums at one
//           time; RASTER, GROUP order of the tiles (hopper_raster.cuh); IDLE multiprocessors left out; IN_FLIGHT groups
//           of products that may be unfinished when the next is issued; EPILOGUE 0 by the copy engine, 1 from
//           registers; PRODUCER_REGISTERS; PROMOTION what L2 fetches at once, bytes.
// Expects   as wgmma_tile; EPILOGUE 0: rows of D of whole 16 bytes.
// Operations A is read N / (BN CLUSTER_N) times, B M / (BM CLUSTER_M) times.
#include "hopper_raster.cuh"
#include "hopper_ring.cuh"
#include "hopper_store.cuh"

/// STAGES x { tile of A, tile of B }, then the slabs of each consumer.
extern __shared__ __align__(1024) unsigned char shared[];

/// The tiles of D that this block computes: every so many-th.
struct Schedule {
  int rows, columns;  // of D, in tiles of a cluster
  int stages;         // of a tile
  __device__ __forceinline__ Schedule(int M, int N, int K)
      : rows((M - 1) / (BM * CLUSTER_M) + 1), columns((N - 1) / (BN * CLUSTER_N) + 1), stages((K - 1) / BK + 1) {}
  __device__ __forceinline__ int first() const { return static_cast<int>(blockIdx.x) / kCluster; }
  __device__ __forceinline__ int step() const { return static_cast<int>(gridDim.x) / kCluster; }
  __device__ __forceinline__ int tiles() const { return rows * columns; }
};

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
         const Out* __restrict__ bias, const Out* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  const Ring ring(shared_address(shared), full, empty);
  const Schedule schedule(M, N, K);
  const int group = warpgroup();
  // Maps are far away at first; warps that have nothing to do yet ask for them.
  if (threadIdx.x == 0) prefetch_map(map_a);
  if (threadIdx.x == 32) prefetch_map(map_b);
  if (EPILOGUE == 0 && threadIdx.x == 64) prefetch_map(map_d);
  const bool copies = threadIdx.x == CONSUMERS * 128;
  const int tiles = schedule.tiles();
  Place place;
  const auto copy = [&](int t, int from, int stages) {
    const TileOfD tile = tile_of(t, schedule.rows, schedule.columns);
    ring.copy(place, map_a, map_b, (tile.row * CLUSTER_M + ring.row) * BM, (tile.column * CLUSTER_N + ring.column) * BN,
              from * BK, stages);
  };
  // The first stages are on their way before anybody else has begun, where no other block has to be ready for them.
  const int early = kCluster > 1 ? 0 : schedule.stages < STAGES ? schedule.stages : STAGES;
  if (copies) {
    ring.init();
    copy(schedule.first(), 0, early);
  }
  if (WARM > 0 && group < CONSUMERS) {
    const TileOfD tile = tile_of(schedule.first(), schedule.rows, schedule.columns);
    const int thread = static_cast<int>(threadIdx.x);
    warm<BM, kAContiguous>(of_batch(A, static_cast<long long>(M) * K), (tile.row * CLUSTER_M + ring.row) * BM, M, K,
                           WARM, thread, CONSUMERS * 128);
    warm<BN, kBContiguous>(of_batch(B, static_cast<long long>(K) * N), (tile.column * CLUSTER_N + ring.column) * BN, N,
                           K, WARM, thread, CONSUMERS * 128);
  }
  sync_blocks();

  if (group == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (copies) {
      copy(schedule.first(), early, schedule.stages - early);
#pragma unroll 1
      for (int t = schedule.first() + schedule.step(); t < tiles; t += schedule.step()) copy(t, 0, schedule.stages);
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const Epilogue epilogue(bias, C, D, M, N, alpha, beta);
    const unsigned slabs = ring.tiles + STAGES * kStageBytes + group * kSlabsOfConsumer;
    const int part = TURNS ? 0 : group;
    const int first_row = SPLIT_COLUMNS ? 0 : part * kRows, first_column = SPLIT_COLUMNS ? part * kColumns : 0;
    Consumer consumer(ring, first_row, first_column);
    if (TURNS && group == 1) {
      consumer.place.skip(schedule.stages);
      pass_turn(kTurn, 256);
    }
    if (LEAD > 0 && group > 0) sync_threads(kLead, CONSUMERS * 128);
#pragma unroll 1
    for (int t = schedule.first() + (TURNS ? group * schedule.step() : 0); t < tiles;
         t += schedule.step() * (TURNS ? 2 : 1)) {
      const TileOfD tile = tile_of(t, schedule.rows, schedule.columns);
      Sums sums;
      if (TURNS) sync_threads(kTurn + group, 256);
      const int last = consumer.multiply(sums, schedule.stages, LEAD > 0 && group == 0 && t == schedule.first());
      if (TURNS) pass_turn(kTurn + 1 - group, 256);
      consumer.finish(last);
      if (TURNS) consumer.place.skip(schedule.stages);
      const int m0 = (tile.row * CLUSTER_M + ring.row) * BM + (SWAP ? first_column : first_row);
      const int n0 = (tile.column * CLUSTER_N + ring.column) * BN + (SWAP ? first_row : first_column);
#pragma unroll
      for (int i = 0; i < kRows / 64; ++i) {
        const int m = m0 + (SWAP ? 0 : i * 64), n = n0 + (SWAP ? i * 64 : 0);
        if (EPILOGUE == 0)
          store_piece(sums[i], slabs, 1 + group, map_d, m, n, M, epilogue);
        else
          write_piece(sums[i], m, n, M, epilogue);
      }
    }
    stores_read();
  }
  __syncwarp();
  if (kCluster > 1) sync_cluster();  // others may still signal this block
}
