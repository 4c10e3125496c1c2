// Rung 2, wgmma_groups: all groups in one launch, wgmma at the speed of a single product.
//
// Idea      * one block per multiprocessor takes one tile of D after another, from whatever group (schedule.cuh).
//             A tile never holds rows of two groups: it multiplies with one matrix. How many tiles each group has is
//             known to the device only; every block counts them for itself, in a microsecond.
//           * the copying warp runs ahead over tiles and groups: where groups have few rows, what counts is that B
//             streams, and it never stops.
//           * the last tile of a group is as long as the others for the copy engine, which reads rows of the next
//             group that nobody looks at. But 64 rows that have none of the group's are not multiplied, and what
//             belongs to others is not written (store.cuh).
//           * wgmma has 64 rows and 8 to 256 columns. With SWAP the rows of D are its columns (D^T = B^T A^T): tiles
//             of 16 or 48 rows, for groups of few.
//           * the blocks of a cluster have neighbouring columns of the same rows: each copies a part of A's tile to
//             all of them.
// Parameters BM, BN tile of D; BK; STAGES; CONSUMERS; SWAP; GROUP rows of tiles walked together, for L2; CLUSTER.
// Expects   bf16 or fp16; rows of A, B and D of whole 16 bytes.
// Operations with t tiles of BM rows in all groups: t N (K + K BM / BN / CLUSTER) reads; 2 N K per row, of which there
//           are t BM, or with SWAP = 0 those of a group rounded up to 64.
// Lacks     tiles are shared out beforehand, not when a block is free. (Tiles posted to the consumers through shared
//           memory were tried: the compiler no longer knows that a warp goes one way, descriptors leave the uniform
//           registers, and 8192 x 14336 x 4096 in 8 groups takes 1474 us instead of 1317.)
// Measured on H200, bf16 nn, beside torch 2.11's _grouped_mm (8 rounds of 20 calls in turns; tokens x N x K, groups):
//   8192 x 14336 x 4096, 8: 1312 us, 733 TFLOP/s, 1.024 times as fast [1.021, 1.027]; 8192 x 1408 x 2048, 64: 131.1 us,
//   1.35 [1.34, 1.36]; 4096 x 2048 x 7168, 128: 895.8 us, 4.2 TB/s, 1.31 [1.30, 1.32].
#include "gemm/hopper_tile.cuh"
#include "gemm/ring_place.cuh"
#include "schedule.cuh"
#include "store.cuh"

constexpr int kBlocks = kRows / 64;  // of a consumer
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

/// A consumer warpgroup at the ring.
struct Consumer {
  Operands operands;
  Barrier* full;
  Barrier* empty;
  Place place;

  /// All k of a tile, for the first `wanted` of BLOCKS x 64 rows of wgmma; the stages are given back.
  template <int BLOCKS>
  __device__ __forceinline__ void multiply_all(Sums& sums, int wanted, int K) {
    if constexpr (BLOCKS > 0 && !SWAP)
      if (wanted < BLOCKS) return multiply_all<BLOCKS - 1>(sums, wanted, K);
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
         const __grid_constant__ TensorMap map_d, const int* __restrict__ offsets, DTYPE* __restrict__ D, int N, int K,
         int groups) {
  __shared__ Barrier full[STAGES], empty[STAGES];
  __shared__ int sums_of_warps[THREADS / 32];
  const unsigned tiles = shared_address(shared);
  constexpr int kPanelsAt = STAGES * kStageBytes;
  constexpr int kTableAt = kPanelsAt + CONSUMERS * kOutPanels * kOutBytes;
  Before* table = reinterpret_cast<Before*>(shared + kTableAt);
  const int consumer = warpgroup();
  const int rank = CLUSTER > 1 ? static_cast<int>(cluster_rank()) : 0;
  if (threadIdx.x == 0) {
    prefetch_map(map_a);
    prefetch_map(map_b);
    for (int stage = 0; stage < STAGES; ++stage) {
      init_barrier(&full[stage], 1);
      init_barrier(&empty[stage], CONSUMERS * CLUSTER);
    }
    fence_barriers();
  }
  count_tiles(table, sums_of_warps, offsets, groups);
  if (CLUSTER > 1) sync_cluster();

  Schedule schedule(table, groups, N, rank);
  const int step = static_cast<int>(gridDim.x) / CLUSTER;
  int t = static_cast<int>(blockIdx.x) / CLUSTER;
  TileOfD tile;
  if (consumer == CONSUMERS) {
    give_up_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == CONSUMERS * 128) {
      Place place;
#pragma unroll 1
      for (; schedule.find(t, tile); t += step) {
#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
          wait(&empty[place.stage], place.parity ^ 1);  // at first all are
          arrive_and_expect(&full[place.stage], kStageBytes);
          const unsigned stage = tiles + place.stage * kStageBytes;
          TileA::load_part<CLUSTER>(rank, kAllRanks, stage, map_a, tile.m0, k, 0, &full[place.stage]);
          TileB::load(stage + TileA::kBytes, map_b, tile.n0, k, tile.group, &full[place.stage]);
          place.advance();
        }
      }
    }
  } else {
    take_registers<CONSUMER_REGISTERS>();
    const int first = consumer * kRows;
    Consumer multiplier{Operands(tiles, first, 0), full, empty, {}};
    Writer writer{map_d, D, N, tiles + kPanelsAt + consumer * kOutPanels * kOutBytes, 1 + consumer};
#pragma unroll 1
    for (; schedule.find(t, tile); t += step) {
      Sums sums;
      const int wanted = tile.rows <= first ? 0 : (tile.rows - first - 1) / 64 + 1;
      multiplier.multiply_all<kBlocks>(sums, wanted, K);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
        if constexpr (SWAP)
          writer.store_columns(sums[i], tile.m0, tile.n0 + first + i * 64, tile.rows);
        else if (i < wanted)
          writer.store_rows(sums[i], tile.m0 + first + i * 64, tile.n0, tile.rows - first - i * 64);
      }
    }
    if (threadIdx.x % 128 == 0) wait_stores_read<0>();
  }
  __syncwarp();
  if (CLUSTER > 1) sync_cluster();
}
