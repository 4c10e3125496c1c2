// Rung 2, wgmma_groups: all groups in one launch, wgmma at the speed of a single product.
//
// Idea      * one block per multiprocessor takes one tile of D after another, from whatever group (schedule.cuh).
//             A tile never holds rows of two groups: it multiplies with one matrix. How many tiles each group has is
//             known to the device only; every block counts them for itself, in a microsecond.
//           * the copying thread alone looks for tiles, and posts them to the consumers. It runs ahead over tiles and
//             groups: where groups have few rows, what counts is that B streams, and so it never stops.
//           * tiles are unequal: the last of a group has fewer rows. 64 rows without any of the group's are not
//             multiplied; A's tile is copied in PIECES, and those without any are not copied; what belongs to the
//             next group is not written (store.cuh). TAKE: a block takes the next tile when it is free, from a
//             counter in memory; the one that asks last sets it back.
//           * wgmma has 64 rows and 8 to 256 columns. With SWAP the rows of D are its columns (D^T = B^T A^T): tiles
//             of 16 or 48 rows, for groups of few.
//           * the blocks of a cluster have neighbouring columns of the same rows: each copies pieces of A's tile to
//             all of them.
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS; SWAP; PIECES; TAKE; GROUP rows of tiles walked together, for L2;
//           CLUSTER.
// Expects   bf16 or fp16; rows of A, B and D of whole 16 bytes.
// Operations of a tile with r rows: (BN + r / CLUSTER) K reads, r rounded up to pieces; 2 r BN K FLOP, r rounded up
//           to 64 or, with SWAP, to BM.
// Lacks     blocks of a cluster that share B; more than one n of wgmma, so that with SWAP a group's last tile costs as
//           much as a whole one.
#include "gemm/hopper_tile.cuh"
#include "gemm/ring_place.cuh"
#include "schedule.cuh"
#include "store.cuh"

constexpr int kBlocks = kRows / 64;  // of a consumer
constexpr int kPiece = BM / PIECES;    // rows
constexpr unsigned short kAllRanks = (1u << CLUSTER) - 1;

/// STAGES x { tile of A, tile of B }, then the panels of each consumer, then the table of the schedule.
extern __shared__ __align__(1024) unsigned char shared[];

/// sums += A B for the k of one stage, or = where `fresh`: BLOCKS x 64 rows of wgmma.
template <int BLOCKS>
__device__ __forceinline__ void multiply(Sums& sums, const Operands& at, int stage, bool fresh) {
  const unsigned moved = stage * (kStageBytes / 16);
  fence_sums();
#pragma unroll
  for (int step = 0; step < kSteps; ++step)
#pragma unroll
    for (int i = 0; i < BLOCKS; ++i)
      multiply_tiles<!kFirstContiguous, !kSecondContiguous>(
          sums[i], described(at.first + moved + First::offset(i * 64, step) / 16),
          described(at.second + moved + Second::offset(0, step) / 16), !fresh || step > 0);
  commit_products();
}

/// The ring of stages, and what both sides of it do. Two barriers a stage: its bytes have come; it may be filled again.
struct Ring {
  unsigned tiles;
  Barrier* full;
  Barrier* empty;
  Place place;

  /// One thread fills the stages for all k of a tile.
  __device__ __forceinline__ void copy(const TileOfD& tile, int K, int rank, const TensorMap& map_a,
                                       const TensorMap& map_b) {
    const int pieces = (tile.rows - 1) / kPiece + 1;
    const unsigned bytes = TileB::kBytes + pieces * (kPiece * BK * DTYPE_BYTES);
#pragma unroll 1
    for (int k = 0; k < K; k += BK) {
      Barrier* barrier = &full[place.stage];
      wait(&empty[place.stage], place.parity ^ 1);  // at first all are
      arrive_and_expect(barrier, bytes);
      const unsigned stage = tiles + place.stage * kStageBytes;
      for (int piece = rank; piece < pieces; piece += CLUSTER)
#pragma unroll
        for (int panel = 0; panel < TileA::kPanels; ++panel) {
          const unsigned to = stage + panel * TileA::kPanelBytes + piece * (kPiece * 128);
          if (CLUSTER == 1)
            load_box(to, map_a, k + panel * kPanel, tile.m0 + piece * kPiece, 0, barrier);
          else
            load_box_to(kAllRanks, to, map_a, k + panel * kPanel, tile.m0 + piece * kPiece, 0, barrier);
        }
      TileB::load(stage + TileA::kBytes, map_b, tile.n0, k, tile.group, barrier);
      place.advance();
    }
  }

  /// A consumer: all k of a tile, for the first `wanted` of BLOCKS x 64 rows of wgmma; the stages are given back.
  template <int BLOCKS>
  __device__ __forceinline__ void multiply_all(Sums& sums, const Operands& operands, int wanted, int K) {
    if constexpr (BLOCKS > 0 && !SWAP)
      if (wanted < BLOCKS) return multiply_all<BLOCKS - 1>(sums, operands, wanted, K);
    int before = 0;
#pragma unroll 1
    for (int k = 0; k < K; k += BK) {
      wait(&full[place.stage], place.parity);
      if constexpr (BLOCKS > 0) {
        multiply<BLOCKS>(sums, operands, place.stage, k == 0);
        if (k > 0) {
          wait_products<1>();
          give_back(before);
        }
      } else {
        give_back(place.stage);
      }
      before = place.stage;
      place.advance();
    }
    if constexpr (BLOCKS > 0) {
      wait_products<0>();
      give_back(before);
    }
  }

  /// To the blocks that fill the stage.
  __device__ __forceinline__ void give_back(int stage) const {
    if (CLUSTER == 1) {
      if (threadIdx.x % 128 == 0) arrive(&empty[stage]);
    } else {
      if (threadIdx.x % 128 < CLUSTER) arrive_at(&empty[stage], threadIdx.x % 128);
    }
  }
};

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
         const __grid_constant__ TensorMap map_d, const int* __restrict__ offsets, DTYPE* __restrict__ D,
         unsigned* taken, int N, int K, int groups) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  __shared__ Post post;
  __shared__ int sums_of_warps[THREADS / 32];
  constexpr int kPanelsAt = STAGES * kStageBytes;
  constexpr int kTableAt = kPanelsAt + CONSUMERS * kOutPanels * kOutBytes;
  Before* table = reinterpret_cast<Before*>(shared + kTableAt);
  Ring ring{shared_address(shared), full, empty, {}};
  const int consumer = warpgroup();
  const int rank = CLUSTER > 1 ? static_cast<int>(cluster_rank()) : 0;
  if (threadIdx.x == 0) {
    prefetch_map(map_a);
    prefetch_map(map_b);
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], CONSUMERS * CLUSTER);
    }
    post.init();
    fence_barriers();
  }
  count_tiles(table, sums_of_warps, offsets, groups);
  if (CLUSTER > 1) sync_cluster();

  Mail mail;
  TileOfD tile;
  if (consumer == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) {
      Schedule schedule(table, groups, N, rank, taken);
      while (schedule.next(tile)) {
        mail.send(post, tile);
        ring.copy(tile, K, rank, map_a, map_b);
      }
      mail.send(post, {-1, 0, 0, 0});
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const int first = consumer * kRows;
    const Operands operands(ring.tiles, first, 0);
    Writer writer{map_d, D, N, ring.tiles + kPanelsAt + consumer * kOutPanels * kOutBytes, 1 + consumer};
#pragma unroll 1
    while (mail.receive(post, tile)) {
      Sums sums;
      const int wanted = tile.rows <= first ? 0 : (tile.rows - first - 1) / 64 + 1;
      ring.multiply_all<kBlocks>(sums, operands, wanted, K);
      writer.store<0>(sums, tile.m0, tile.n0, tile.rows, first);
    }
    if (threadIdx.x % 128 == 0) wait_stores_read<0>();
  }
  __syncwarp();
  if (CLUSTER > 1) sync_cluster();
}
