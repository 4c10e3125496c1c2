// Rung 25, wgmma_split: few tiles of D and a long K; every multiprocessor multiplies a part of it.
//
// Idea      128 x 128 x 65536 is one tile: its time is that of reading A and B, 33 MB, by all multiprocessors at once,
//           and of what comes before and after. So SLICES blocks share the K of one tile, and their sums are added in a
//           fixed order, the same bit for bit from run to run, in two steps:
//           * CLUSTER_K blocks of a cluster multiply consecutive slices and add up over distributed shared memory,
//             each a share of the tile (cluster_sums.cuh): nothing of it passes through L2.
//           * each share of each cluster goes to a workspace. REDUCE says who adds these up:
//             0  the last of its blocks to come (a counter of arrivals), in order of slice
//             1  three quarters of them: they wait for the last, then each adds a share of the share. Less to read by
//                one block. The others leave, so that blocks that have not begun yet find room: nobody waits for ever
//             2  the same, and nobody counts: each word of the workspace is 0 until it has come (part_sums.cuh).
//                Without fence, atomic and the way to a counter and back
//           Parts of a tile are as large as the tile, each: smaller tiles have less to add up but read A and B more
//           often. CLUSTER_M x CLUSTER_N tiles of a cluster therefore share the copies of A and B (multicast).
//           PREFETCH asks L2 for a block's whole slice before anything else (l2_prefetch_slice.cuh).
//           One warp copies, STAGES tiles ahead; no barrier of the cluster unless its blocks copy for one another.
// Parameters BM, BN tile of D; BK; STAGES; SLICES of K per tile; CLUSTER_K of them, CLUSTER_M x CLUSTER_N tiles, in a
//           cluster; REDUCE; PREFETCH.
// Expects   as wgmma_tile. Worth it where tiles are fewer than multiprocessors and K is long.
// Operations (M N K / BN / CLUSTER_N + M N K / BM / CLUSTER_M) global reads; SLICES / CLUSTER_K M N sums written to L2
//           and read again, none where that is 1.
// Lacks     slices of unequal length for tiles that almost fill the device (wgmma_stream).
// Measured on H200, bf16 nn, beside cuBLASLt 13.1's best of 8, all with REDUCE=1: 128 x 128 x 65536 15.3 us, 1.02
//   times as fast [1.01]; 256 x 256 x 16384 12.5 us, 0.92 [0.90]; 512 x 512 x 8192 16.8 us, 0.85 [0.84]; 64 x 64 x
//   131072 14.6 us, 1.19 [1.18]. split_k: 18.4, 15.6 us for the first two. All four read 17 or 34 MB, which 4.2 TB/s
//   would do in 4 or 8 us: most of the rest is not the reading.
#define WGMMA_N BN
#include "cluster_sums.cuh"
#include "common/semaphore.cuh"
#include "epilogue.cuh"
#include "l2_prefetch_slice.cuh"
#include "part_sums.cuh"
#include "wgmma_ring.cuh"

constexpr int kThreads = 128 * CONSUMERS;  // that multiply and add up
constexpr int kRows = BM / CONSUMERS;      // of a consumer
constexpr int kSums = kRows / 64 * BN / 2;
constexpr int kTiles = CLUSTER_M * CLUSTER_N;      // of a cluster
constexpr int kParts = SLICES / CLUSTER_K;         // of a tile, that go through the workspace
constexpr int kPeers = CLUSTER_M + CLUSTER_N - 1;  // blocks that copy something for this one
using ShareOfSums = ClusterSums<kSums, CLUSTER_K, kThreads>;
constexpr int kShareFours = ShareOfSums::kShare / 4;                        // of a thread
constexpr int kAdders = REDUCE == 0 ? 1 : kParts < 2 ? 1 : kParts * 3 / 4;  // clusters of a tile that add up parts
#if REDUCE == 2
using Parts = ArrivingParts;
#else
using Parts = WrittenParts;
#endif
static_assert(ShareOfSums::kShare % 4 == 0, "constraint shares");

/// STAGES x { tile of A, tile of B }, then what the others of the cluster send.
extern __shared__ __align__(1024) unsigned char shared[];

/// What this block multiplies. Block b: b / cluster counts the clusters, parts of K first.
struct Work {
  int m0, n0;                  // of its tile of D
  int slice;                   // of K
  int first, end;              // tiles of k
  long long share;             // which of all shares of all tiles it adds up
  int tile_m, tile_n, part_k;  // its place in the cluster
  unsigned tile;               // of kTiles
  __device__ __forceinline__ Work(int M, int K) {
    const int rank = static_cast<int>(cluster_rank());
    const int cluster = static_cast<int>(blockIdx.x) / (kTiles * CLUSTER_K);
    const int tiles_m = (M - 1) / (BM * CLUSTER_M) + 1;
    tile_m = rank % CLUSTER_M;
    tile_n = rank / CLUSTER_M % CLUSTER_N;
    tile = static_cast<unsigned>(rank % kTiles);
    part_k = rank / kTiles;
    const int tiles = cluster / kParts;  // which CLUSTER_M x CLUSTER_N of them
    m0 = (tiles % tiles_m * CLUSTER_M + tile_m) * BM;
    n0 = (tiles / tiles_m * CLUSTER_N + tile_n) * BN;
    slice = cluster % kParts * CLUSTER_K + part_k;
    const long long tiles_of_k = (K - 1) / BK + 1;
    first = static_cast<int>(tiles_of_k * slice / SLICES);
    end = static_cast<int>(tiles_of_k * (slice + 1) / SLICES);
    const long long clusters = (BATCHED ? blockIdx.z * (gridDim.x / (kTiles * CLUSTER_K)) : 0) / kParts + tiles;
    share = clusters * (kTiles * CLUSTER_K) + rank;
  }
  /// Rank of the block of this slice whose tile is (m, n) of the cluster.
  __device__ __forceinline__ unsigned rank_of(int m, int n) const {
    return static_cast<unsigned>((part_k * CLUSTER_N + n) * CLUSTER_M + m);
  }
  /// Those whose tile has the same rows, and those of the same columns.
  __device__ __forceinline__ unsigned short same_rows() const {
    unsigned ranks = 0;
    for (int n = 0; n < CLUSTER_N; ++n) ranks |= 1u << rank_of(tile_m, n);
    return static_cast<unsigned short>(ranks);
  }
  __device__ __forceinline__ unsigned short same_columns() const {
    unsigned ranks = 0;
    for (int m = 0; m < CLUSTER_M; ++m) ranks |= 1u << rank_of(m, tile_n);
    return static_cast<unsigned short>(ranks);
  }
  /// Peer i of kPeers: those of the same rows, this block among them, then the others of its columns.
  __device__ __forceinline__ unsigned peer(int i) const {
    if (i < CLUSTER_N) return rank_of(tile_m, i);
    return rank_of(i - CLUSTER_N + (i - CLUSTER_N >= tile_m), tile_n);
  }
};

/// Sums 4 i .. 4 i + 3 of a consumer's thread to D: two rows of two columns each.
__device__ __forceinline__ void write_four(int i, int thread, const Sum* sums, const Work& work, int M, int N,
                                           const Epilogue& epilogue) {
  const int m = work.m0 + thread / 128 * kRows + i / (BN / 8) * 64 + thread % 128 / 32 * 16 + thread % 32 / 4;
  const int n = work.n0 + i % (BN / 8) * 8 + thread % 4 * 2;
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (m + e / 2 * 8 < M && n + e % 2 < N) epilogue(m + e / 2 * 8, n + e % 2, sums[e]);
}

__device__ __forceinline__ void copy_tiles(const Work& work, const TensorMap& map_a, const TensorMap& map_b,
                                           unsigned tiles, Barrier* full, Barrier* empty) {
  const unsigned short same_rows = work.same_rows(), same_columns = work.same_columns();
  Place place;
#pragma unroll 1
  for (int tile = work.first; tile < work.end; ++tile) {
    wait(&empty[place.stage], place.parity ^ 1);  // at first all are
    arrive_and_expect(&full[place.stage], kStageBytes);
    const unsigned stage = tiles + place.stage * kStageBytes;
    TileA::load_rows<CLUSTER_N>(work.tile_n, same_rows, stage, map_a, work.m0, tile * BK, static_cast<int>(blockIdx.z),
                                &full[place.stage]);
    TileB::load_rows<CLUSTER_M>(work.tile_m, same_columns, stage + TileA::kBytes, map_b, work.n0, tile * BK,
                                static_cast<int>(blockIdx.z), &full[place.stage]);
    place.advance();
  }
}

/// The products of this block's slice. Nobody waits for the last stages to be empty again, so that no block arrives
/// at one that has ended.
__device__ __forceinline__ void multiply_slice(Sum (&sums)[kRows / 64][BN / 2], const Work& work, unsigned tiles,
                                               Barrier* full, Barrier* empty) {
  const int thread = static_cast<int>(threadIdx.x) % 128, group = static_cast<int>(threadIdx.x) / 128;
  Place place;
  int before = 0;
#pragma unroll 1
  for (int tile = work.first; tile < work.end; ++tile) {
    wait(&full[place.stage], place.parity);
    multiply_stage<kRows>(sums, tiles + place.stage * kStageBytes, group * kRows, false);
    if (tile > work.first) {
      wait_products<1>();
      if (thread < kPeers && tile - 1 + STAGES < work.end) {
        if (kPeers == 1)
          arrive(&empty[before]);
        else
          arrive_at(&empty[before], work.peer(thread));
      }
    }
    before = place.stage;
    place.advance();
  }
  wait_products<0>();
#pragma unroll
  for (int i = 0; i < kRows / 64; ++i) settle_sums(sums[i]);
}

/// The block wrote its part; `adder`: which of kAdders it would be, if not negative. Whether it is: then all parts have
/// been written.
__device__ __forceinline__ bool all_have_come(unsigned* word, int adder) {
  __shared__ bool all;
  sync_threads(1, kThreads);
  if (threadIdx.x == 0) {
    all = arrive_as_last(word, kParts);
    if (REDUCE == 1 && adder >= 0 && !all) wait_for_last(word);
  }
  sync_threads(1, kThreads);
  return REDUCE == 0 ? all : adder >= 0;
}

extern "C" __global__ void __launch_bounds__(kThreads + 32, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, const DTYPE* A,
         const DTYPE* B, const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D,
         FourSums* parts, FourSums* arriving, unsigned* words, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  __shared__ Barrier full[STAGES], empty[STAGES], sent;
  const unsigned tiles = shared_address(shared);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == kThreads) {
    prefetch_map(map_a);
    prefetch_map(map_b);
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], CONSUMERS * kPeers);
    }
    init_barrier(&sent, 1);
    fence_barriers();
    arrive_and_expect(&sent, ShareOfSums::kSentBytes);
  }
  const Work work(M, K);
  if (PREFETCH != 0 && thread < kThreads) {  // what blocks share, each asks for a part of
    const int first_k = work.first * BK, end_k = work.end * BK;
    l2_prefetch_slice<BM, !TRANS_A>(of_batch(A, static_cast<long long>(M) * K), work.m0, M, first_k, end_k, K,
                                    work.tile_n * kThreads + thread, CLUSTER_N * kThreads);
    l2_prefetch_slice<BN, TRANS_B != 0>(of_batch(B, static_cast<long long>(K) * N), work.n0, N, first_k, end_k, K,
                                        work.tile_m * kThreads + thread, CLUSTER_M * kThreads);
  }
  __syncthreads();
  if (kTiles * CLUSTER_K > 1) arrive_in_cluster();
  if (kTiles > 1) wait_for_cluster();

  if (thread >= kThreads) {
    if (thread == kThreads) copy_tiles(work, map_a, map_b, tiles, full, empty);
    __syncwarp();
    if (kTiles == 1 && CLUSTER_K > 1) wait_for_cluster();
    return;
  }
  Sum sums[kRows / 64][BN / 2] = {};
  multiply_slice(sums, work, tiles, full, empty);

  const Sum(&all)[kSums] = *reinterpret_cast<const Sum(*)[kSums]>(&sums);
  Sum share[ShareOfSums::kShare];
  if constexpr (CLUSTER_K > 1) {
    if (kTiles == 1) wait_for_cluster();
    ShareOfSums{tiles + STAGES * kStageBytes, thread, work.part_k}.exchange(all, share, &sent, work.tile, kTiles);
  } else {
#pragma unroll
    for (int i = 0; i < kSums; ++i) share[i] = all[i];
  }

  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  if constexpr (kParts == 1) {
#pragma unroll
    for (int i = 0; i < kShareFours; ++i)
      write_four(work.part_k * kShareFours + i, thread, share + i * 4, work, M, N, epilogue);
  } else {
    constexpr int kFours = kShareFours * kThreads;
    FourSums* of_share = (REDUCE == 2 ? arriving : parts) + work.share * (kParts * kFours);
    const int part = work.slice / CLUSTER_K;
#pragma unroll
    for (int i = 0; i < kShareFours; ++i)
      Parts::write(of_share + part * kFours + i * kThreads + thread,
                   FourSums{share[i * 4], share[i * 4 + 1], share[i * 4 + 2], share[i * 4 + 3]});
    const int adder = REDUCE == 0 ? 0 : part - (kParts - kAdders);
    if (REDUCE < 2 ? !all_have_come(words + work.share, adder) : adder < 0) return;
    if (REDUCE == 2) sync_threads(1, kThreads);  // nobody multiplies any more: the ring is free
    PartSums<kFours, kParts, kAdders, kThreads, Parts>::add_up(
        of_share, adder, reinterpret_cast<FourSums*>(shared), [&](int four, const FourSums& sum) {
          write_four(work.part_k * kShareFours + four / kThreads, four % kThreads, sum.at, work, M, N, epilogue);
        });
  }
}
