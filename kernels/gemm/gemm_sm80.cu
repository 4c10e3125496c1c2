// gemm_sm80: products by mma.sync, for Ampere and Ada, and for what wgmma cannot (int8 and tf32 in any layout).
//
// Idea      what mma.sync wants is fragments in registers, every cycle. Everything here serves that:
//           * STAGES tiles of A and B in shared memory. cp.async fills the oldest one, 16 bytes at a time and past the
//             registers, while the next is multiplied: STAGES - 1 tiles are on their way, one barrier per tile.
//           * ldmatrix reads a 16 x 16 fragment in one instruction, transposed if the layout wants it; the shared tiles
//             lie as in memory with their 16-byte chunks swizzled (sm80/operand_tile.cuh), so that neither side has
//             bank conflicts and every layout runs the same loop. Where k is not contiguous, tf32 reads words instead,
//             and int8 transposes pairs of bytes.
//           * a warp computes WM x WN: 64 x 64 needs 8 ldmatrix for 32 mma, 32 x 32 needs 4 for 8. The fragments of the
//             next step are loaded while the present ones are multiplied.
//           * the ragged end of K is the first tile, so that the loop has no special case.
//           * accumulators leave through shared memory, in whole lines.
//           * GROUP rows of tiles are walked together, so that blocks that run at one time share A and B in L2.
//           * PERSISTENT = 1: one block per multiprocessor takes one tile of D after another, and copies the first
//             tiles of the next one during its epilogue.
//           * rows of 4093 elements are not made of 16 aligned bytes: such an operand is first copied to a workspace
//             where they are (align_rows.cuh), a few percent of the time of a large product. Rows along k get their
//             zeros in front, so that k of both operands stay in step at the end.
//           * SPLIT > 1: a product with few tiles and a long K (128 x 128 x 65536) keeps one block busy and 131
//             multiprocessors idle. Here SPLIT blocks share the K of a tile, and partial sums are added in a fixed
//             order, the same bit for bit from run to run. REDUCE says how:
//             0  every block writes its accumulators to a workspace; a second launch adds them
//             1  the same, but the blocks of a tile wait for one another (a counter) and then add, each its share of
//                the tile: no second launch. All SPLIT of them must be on the device at once
//             2  serial: the blocks of a tile follow one another (a semaphore) and add to what the ones before have;
//                the last one writes D. Little workspace and traffic, but a chain of SPLIT steps
// Parameters BM, BN, BK tile of a block; WM, WN of a warp; STAGES; GROUP; PERSISTENT; SPLIT; REDUCE.
// Expects   bf16, fp16, tf32 (fp32 of which 19 bits are read) or int8; any M, N, K, layout, alignment.
// Operations N^3 (1 / BM + 1 / BN) global reads, N^3 (1 / WM + 1 / WN) shared reads, N^3 / 2048 mma (tf32: / 1024,
//           int8: / 4096); with SPLIT, SPLIT M N partial sums written and read again, 8 bytes each, through L2.
// Counted   256^3 bf16, defaults, on the emulated device: 524,288 bytes loaded from global memory, 1,933,312 from
//           shared memory; the formula gives the same.
// Lacks     wgmma, which reads shared memory itself: on an H200 mma.sync ends at about 63 % of the tensor peak. A
//           schedule that splits only the last wave (stream-K). Small unaligned products without a launch before.
// Measured on H200, beside cuBLASLt 13.1 (wgmma), as mma_pipe, split_k and mma_ragged, which had the same loop: 4096^3
//   bf16 286.4 us, 480 TFLOP/s, 0.62 times as fast; tf32 607 us, 226 TFLOP/s, 0.57; int8 nt 156 us, 881 TOP/s, 0.61.
//   128 x 128 x 65536 bf16 REDUCE=0 18.8 us, REDUCE=1 17.9 us, 0.91; tf32 28.5 us, 1.01. 4095 x 4097 x 4093 bf16: 349.7
//   us, 393 TFLOP/s, 2.53.
#include "common/sm80/epilogue_tile.cuh"
#include "common/tile_raster.cuh"
#include "epilogue.cuh"
#if !ALIGNED
#include "align_rows.cuh"
#endif
#if SPLIT > 1
#include "common/semaphore.cuh"
#include "splitk_parts.cuh"
#endif

using TileA = sm80::OperandTile<DTYPE, BM, BK, !TRANS_A, true, THREADS>;
using TileB = sm80::OperandTile<DTYPE, BN, BK, TRANS_B != 0, false, THREADS>;
using Loop = sm80::Mainloop<TileA, TileB, WM, WN, STAGES>;
using Store = sm80::EpilogueTile<Loop, WN, TileA::kNeighbours, TileB::kNeighbours>;
using Four = Store::Four;

/// STAGES x { tile of A, tile of B }; in their place or (PERSISTENT) behind them an epilogue tile per warp.
extern __shared__ float4 shared[];

/// A and B of this block's batch; their rows are stride_a, stride_b elements apart. `front`: so many zeros stand before
/// the first k of operands whose k is contiguous.
struct Operands {
  const DTYPE *a, *b;
  int stride_a, stride_b, front;
  __device__ __forceinline__ Operands(const DTYPE* A, const DTYPE* B, int M, int N, int K, int stride_a, int stride_b,
                                      int front)
      : a(of_batch(A, static_cast<long long>(TRANS_A ? K : M) * stride_a)),
        b(of_batch(B, static_cast<long long>(TRANS_B ? N : K) * stride_b)),
        stride_a(stride_a),
        stride_b(stride_b),
        front(front) {}
  __device__ __forceinline__ TileA tile_a(int m0, int M, int k0 = 0) const {
    return TileA(a, m0, M, k0 - (TRANS_A ? front : 0), stride_a);
  }
  __device__ __forceinline__ TileB tile_b(int n0, int N, int k0 = 0) const {
    return TileB(b, n0, N, k0 - (TRANS_B ? 0 : front), stride_b);
  }
};

#if SPLIT == 1
/// First row and column of D of tile `tile`.
__device__ __forceinline__ TileCoordinate tile_origin(int tile, int M, int N) {
  const TileCoordinate at = raster_groups<GROUP>(tile, (M - 1) / BM + 1, (N - 1) / BN + 1);
  return {at.row * BM, at.column * BN};
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, int stride_a, int stride_b, int front,
         float alpha, float beta SCALE_PARAMETERS) {
  const Operands operands(A, B, M, N, K, stride_a, stride_b, front);
  const Loop::Warp warp;
  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  TileCoordinate at = tile_origin(static_cast<int>(blockIdx.x), M, N);
  TileA a = operands.tile_a(at.row, M);
  TileB b = operands.tile_b(at.column, N);
  Loop::copy_ahead(a, b, shared_address(shared), K + front, front);
  if constexpr (PERSISTENT == 0) {
    Loop::Accumulators accumulators = {};
    Loop::multiply(accumulators, a, b, warp, shared_address(shared), K + front);
    Store::store<FOURS_D != 0>(accumulators, shared, at.row + warp.m, at.column + warp.n, M, N, epilogue);
  } else {
    const int tiles = ((M - 1) / BM + 1) * ((N - 1) / BN + 1);
#pragma unroll 1
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += static_cast<int>(gridDim.x)) {
      Loop::Accumulators accumulators = {};
      Loop::multiply(accumulators, a, b, warp, shared_address(shared), K + front);
      const TileCoordinate present = at;
      if (tile + static_cast<int>(gridDim.x) < tiles) {  // on their way during the epilogue
        at = tile_origin(tile + static_cast<int>(gridDim.x), M, N);
        a = operands.tile_a(at.row, M);
        b = operands.tile_b(at.column, N);
        Loop::copy_ahead(a, b, shared_address(shared), K + front, front);
      }
      Store::store<FOURS_D != 0>(accumulators, shared + STAGES * Loop::kStageBytes / 16, present.row + warp.m,
                                 present.column + warp.n, M, N, epilogue);
    }
  }
}
#else
constexpr int kTileFours = BM * BN / 4;

/// Partial sums of a tile in the workspace: BM x BN, whatever of it lies within D.
struct PartialTile {
  Four* first;
  int m0, n0;
  __device__ __forceinline__ Four& at(int m, int n) const { return first[((m - m0) * BN + (n - n0)) / 4]; }
};

struct WritePart {
  PartialTile to;
  __device__ __forceinline__ void operator()(int m, int n, const Four& four) const { to.at(m, n) = four; }
};

/// One of the blocks that a semaphore lets follow one another.
struct AddInOrder {
  PartialTile running;
  bool first, last;
  const Epilogue& epilogue;
  int M;
  __device__ __forceinline__ void operator()(int m, int n, Four four) const {
    if (!first) {
      Four all = running.at(m, n);
      add(all, four);
      four = all;
    }
    if (last)
      epilogue.four_or_fewer(m, n, M, four.at);
    else
      running.at(m, n) = four;
  }
};

/// D of share `share` of the tile, whose parts begin at `parts`.
__device__ __forceinline__ void write_share(const PartialTile& parts, int share, int M, const Epilogue& epilogue) {
  SplitKParts<kTileFours, SPLIT, SPLIT, THREADS>::add_up(
      parts.first, share, reinterpret_cast<Four*>(shared), [&](int four, const Four& sum) {
        epilogue.four_or_fewer(parts.m0 + four / (BN / 4), parts.n0 + four % (BN / 4) * 4, M, sum.at);
      });
}

/// Block b: tile b / SPLIT, part b % SPLIT of its K.
struct WorkTile {
  int tile, part, m0, n0;
  __device__ __forceinline__ explicit WorkTile(int M) {
    const int tiles_m = (M - 1) / BM + 1;
    tile = static_cast<int>(blockIdx.x) / SPLIT;
    part = static_cast<int>(blockIdx.x) % SPLIT;
    m0 = tile % tiles_m * BM;
    n0 = tile / tiles_m * BN;
  }
  /// Of `of_tile` numbers of each tile, all batches' one after another.
  __device__ __forceinline__ long long offset(long long of_tile) const {
    const long long tiles = gridDim.x / SPLIT;
    return ((BATCHED ? blockIdx.z * tiles : 0) + tile) * of_tile;
  }
};

/// `words`: 0 for each tile, and left so.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, Accumulator* parts, unsigned* words, int M, int N, int K,
         int stride_a, int stride_b, int front, float alpha, float beta SCALE_PARAMETERS) {
  const WorkTile work(M);
  // Whole tiles of k to each part; the last ones may get less, or nothing and write zeros.
  const long long all_k = static_cast<long long>(K) + front;
  const long long part_k = (all_k + SPLIT * BK - 1) / (SPLIT * BK) * BK;
  const long long rest = all_k - work.part * part_k;
  const int length = static_cast<int>(rest < 0 ? 0 : rest < part_k ? rest : part_k);
  const int k0 = rest < 0 ? 0 : static_cast<int>(work.part * part_k);

  const Operands operands(A, B, M, N, K, stride_a, stride_b, front);
  const Loop::Warp warp;
  TileA a = operands.tile_a(work.m0, M, k0);
  TileB b = operands.tile_b(work.n0, N, k0);
  Loop::Accumulators accumulators = {};
  Loop::copy_ahead(a, b, shared_address(shared), length, work.part == 0 ? front : 0);
  Loop::multiply(accumulators, a, b, warp, shared_address(shared), length);

  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  unsigned* word = words + work.offset(1);
  const int m = work.m0 + warp.m, n = work.n0 + warp.n;
  if constexpr (REDUCE == 2) {
    const PartialTile running{reinterpret_cast<Four*>(parts) + work.offset(kTileFours), work.m0, work.n0};
    const bool last = work.part == SPLIT - 1;
    semaphore_wait(word, work.part);
    Store::store<true>(accumulators, shared, m, n, work.m0 + BM, work.n0 + BN,
                             AddInOrder{running, work.part == 0, last, epilogue, M});
    semaphore_release(word, last ? 0 : work.part + 1);
  } else {
    PartialTile all{reinterpret_cast<Four*>(parts) + work.offset(SPLIT * kTileFours), work.m0, work.n0};
    PartialTile mine = all;
    mine.first += work.part * kTileFours;
    Store::store<true>(accumulators, shared, m, n, work.m0 + BM, work.n0 + BN, WritePart{mine});
    if constexpr (REDUCE == 1) {
      block_barrier_sync(word, SPLIT);
      write_share(all, work.part, M, epilogue);
      block_barrier_reset(word, SPLIT);
    }
  }
}

/// D = epilogue of the sum of the parts; block b: share b % SPLIT of tile b / SPLIT.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_parts(Accumulator* parts, const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D,
              int M, int N, float alpha, float beta SCALE_PARAMETERS) {
  const WorkTile work(M);
  const PartialTile all{reinterpret_cast<Four*>(parts) + work.offset(SPLIT * kTileFours), work.m0, work.n0};
  write_share(all, work.part, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
#endif
