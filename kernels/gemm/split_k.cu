// Rung 14, split_k: SPLIT blocks share the K of one tile of D.
//
// Idea      a product with few tiles and a long K (128 x 128 x 65536) keeps one block busy and 131 multiprocessors
//           idle. Here block s of a tile multiplies the s-th part of K by mma_pipe's loop. Then the sums of the parts
//           must be added, in a fixed order, so that results are the same bit for bit from run to run, which atomic
//           additions would not give. REDUCE says how:
//           0  every block writes its sums to a workspace; a second launch adds them
//           1  the same, but the blocks of a tile wait for one another (a counter) and then add, each its share of the
//              tile: no second launch. All SPLIT of them must be on the device at once
//           2  serial: the blocks of a tile follow one another (a semaphore) and add their sums to those of the ones
//              before; the last one writes D. Little workspace and traffic, but a chain of SPLIT steps
// Parameters as mma_pipe; SPLIT parts of K; REDUCE.
// Expects   bf16, fp16, tf32 or int8; any M, N, K, layout, alignment. Worth it where tiles are fewer than
//           multiprocessors.
// Operations in addition to mma_pipe: SPLIT M N sums written and read again, 8 bytes each, through L2.
// Counted   256^3 bf16, defaults, on the emulated device: 2,100,992 bytes loaded from global memory, 3,670,016 from
//           shared memory; the first by the formula: 2,097,152.
// Lacks     a schedule that splits only the last wave (stream-K).
// Measured on H200: 128 x 128 x 65536 bf16: REDUCE=0 18.8 us, REDUCE=1 17.9 us, 120 TFLOP/s: 0.91 of cuBLASLt 13.1;
//   tf32 28.5 us, 1.01 of it. 1 x 4096 x 4096 bf16 nn 15.9 us, 0.94; 8 x 8192 x 8192 40.0 us, 0.90.
#include "common/semaphore.cuh"
#include "mma_align.cuh"
#include "mma_epilogue.cuh"
#include "part_sums.cuh"

extern __shared__ float4 shared[];  // as in mma_pipe; later sums of `PartSums`

constexpr int kTileFours = BM * BN / 4;

/// The sums of a tile in the workspace: BM x BN, whatever of it lies within D. `place` numbers its fours.
struct TileSums {
  FourSums* first;
  int m0, n0;
  __device__ __forceinline__ FourSums& at(int m, int n) const { return first[((m - m0) * BN + (n - n0)) / 4]; }
};

struct WritePart {
  TileSums to;
  __device__ __forceinline__ void operator()(int m, int n, const FourSums& four) const { to.at(m, n) = four; }
};

/// One of the blocks that a semaphore lets follow one another.
struct AddInOrder {
  TileSums running;
  bool first, last;
  const Epilogue& epilogue;
  int M;
  __device__ __forceinline__ void operator()(int m, int n, FourSums four) const {
    if (!first) {
      FourSums all = running.at(m, n);
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
__device__ __forceinline__ void write_share(const TileSums& parts, int share, int M, const Epilogue& epilogue) {
  PartSums<kTileFours, SPLIT, SPLIT, THREADS>::add_up(
      parts.first, share, reinterpret_cast<FourSums*>(shared), [&](int four, const FourSums& sums) {
        epilogue.four_or_fewer(parts.m0 + four / (BN / 4), parts.n0 + four % (BN / 4) * 4, M, sums.at);
      });
}

/// Block b: tile b / SPLIT, part b % SPLIT of its K.
struct Job {
  int tile, part, m0, n0;
  __device__ __forceinline__ explicit Job(int M) {
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

/// `front`: so many zeros stand before the first k of operands whose k is contiguous, as in mma_pipe. `words`: 0 for
/// each tile, and left so.
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    multiply_part(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ aligned_A,
                  const DTYPE* __restrict__ aligned_B, const Added* __restrict__ bias, const Added* __restrict__ C,
                  Out* __restrict__ D, Sum* parts, unsigned* words, int M, int N, int K, int stride_a, int stride_b,
                  int front, float alpha, float beta SCALE_PARAMETERS) {
  const Job job(M);
  // Whole tiles of k to each part; the last ones may get less, or nothing and write zeros.
  const long long all_k = static_cast<long long>(K) + front;
  const long long part_k = (all_k + SPLIT * BK - 1) / (SPLIT * BK) * BK;
  const long long rest = all_k - job.part * part_k;
  const int length = static_cast<int>(rest < 0 ? 0 : rest < part_k ? rest : part_k);
  const int k0 = rest < 0 ? 0 : static_cast<int>(job.part * part_k);

  const WarpPlace warp;
  Sums sums = {};
  A = of_batch(ALIGNED_A ? A : aligned_A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(ALIGNED_B ? B : aligned_B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  const OperandA a(A, job.m0, M, k0 - (TRANS_A ? front : 0), stride_a);
  const OperandB b(B, job.n0, N, k0 - (TRANS_B ? 0 : front), stride_b);
  multiply(sums, a, b, warp, shared_address(shared), length, job.part == 0 ? front : 0);

  const Epilogue epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES);
  unsigned* word = words + job.offset(1);
  if constexpr (REDUCE == 2) {
    const TileSums running{reinterpret_cast<FourSums*>(parts) + job.offset(kTileFours), job.m0, job.n0};
    const bool last = job.part == SPLIT - 1;
    semaphore_wait(word, job.part);
    write_sums<true>(sums, warp, shared, job.m0, job.n0, job.m0 + BM, job.n0 + BN,
                     AddInOrder{running, job.part == 0, last, epilogue, M});
    semaphore_release(word, last ? 0 : job.part + 1);
  } else {
    TileSums all{reinterpret_cast<FourSums*>(parts) + job.offset(SPLIT * kTileFours), job.m0, job.n0};
    TileSums mine = all;
    mine.first += job.part * kTileFours;
    write_sums<true>(sums, warp, shared, job.m0, job.n0, job.m0 + BM, job.n0 + BN, WritePart{mine});
    if constexpr (REDUCE == 1) {
      sync_blocks(word, SPLIT);
      write_share(all, job.part, M, epilogue);
      reset_sync_blocks(word, SPLIT);
    }
  }
}

/// D = epilogue of the sum of the parts; block b: share b % SPLIT of tile b / SPLIT.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_parts(Sum* parts, const Added* __restrict__ bias, const Added* __restrict__ C, Out* __restrict__ D, int M,
              int N, float alpha, float beta SCALE_PARAMETERS) {
  const Job job(M);
  const TileSums all{reinterpret_cast<FourSums*>(parts) + job.offset(SPLIT * kTileFours), job.m0, job.n0};
  write_share(all, job.part, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
