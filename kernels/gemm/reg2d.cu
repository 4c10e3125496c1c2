// Rung 6, reg2d: every thread computes TM x TN elements of D in registers.
//
// Idea      an outer product. For each k a thread loads TM numbers of A and TN of B from shared memory and makes
//           TM * TN multiply-adds of them: 64 for 4 loads of 16 bytes at 8 x 8; smem_tile needs two loads for each.
//           What carries it:
//           * both tiles lie k-major in shared memory (A is transposed on the way in, if it must be), so that the
//             numbers of one k are consecutive and come 4 at a time;
//           * a thread's TM rows are TM / 4 groups of 4 that lie LANES_M * 4 apart, so that a warp reads consecutive
//             16-byte words;
//           * the lanes of a warp are numbered in Z order over its LANES_M x LANES_N grid: lanes i and i ^ 1 share
//             their B and lanes i and i ^ 2 their A, which lets the hardware serve a half warp's 16-byte loads at once;
//           * global memory is read 4 elements at a time wherever alignment and edges allow, else one by one.
//           16-bit types are widened to fp32 on their way into shared memory; all arithmetic is fp32.
// Parameters BM, BN, BK tile of a block; TM, TN tile of a thread; PAD words after each row of the shared tiles (4 means
//           fewer bank conflicts when a tile is transposed on the way in); DB = 1: two shared tiles, and the next one
//           travels to registers while the present one is multiplied; MIN_BLOCKS blocks per SM for which registers are
//           kept.
// Operations N^3 (1 / BM + 1 / BN) reads of global memory, N^3 (1 / TM + 1 / TN) of shared memory.
// Counted   256^3 fp32, defaults, on the emulated device: 1,081,344 bytes loaded from global memory, 16,777,216 from
//           shared memory; the formula gives the same.
// Expects   anything. Rows whose length is not a multiple of 4 elements are read one by one, which costs speed.
// Lacks     tensor cores; asynchronous copies that bypass the registers.
// Measured on H200: 2.761 ms, 49.8 TFLOP/s (fp32, 4096^3): 7.9 times the shared-memory tile.
#include "lane_grid.cuh"

// Derived in reg2d.toml: THREADS = BM * BN / (TM * TN); LANES_M * LANES_N = 32 threads of a warp over rows and columns.
constexpr int kWarpM = LANES_M * TM;  // rows of D that a warp computes
constexpr int kWarpN = LANES_N * TN;
constexpr int kWarpsM = BM / kWarpM;

extern __shared__ float4 shared[];  // [1 + DB] x { A: BK x (BM + PAD), B: BK x (BN + PAD) } floats

/// Moves tiles of one operand, EXTENT rows of op(A) or columns of op(B) by BK, from global memory through registers to
/// shared memory, where element (x, k) lies at k * kStride + x. K_FIRST: k is the contiguous index in global memory.
template <int EXTENT, bool K_FIRST>
struct Mover {
  using Four = Packed<DTYPE, 4>;
  static constexpr int kStride = EXTENT + PAD;
  static constexpr int kPerRow = (K_FIRST ? BK : EXTENT) / 4;  // vectors in a row of the tile as it lies in memory
  static constexpr int kVectors = EXTENT * BK / 4;
  static constexpr int kPerThread = (kVectors + THREADS - 1) / THREADS;

  const DTYPE* first;  // element (0, 0) of the tile at k = 0
  const DTYPE* next;   // this thread's first element in the tile to fetch next
  int row_length;      // elements, in global memory
  int extent;          // rows or columns from the tile's origin to the edge
  bool whole;          // vectors may be read without a look at `extent`
  Four held[kPerThread];

  __device__ __forceinline__ Mover(const DTYPE* operand, int origin, int total, int K) {
    row_length = K_FIRST ? K : total;
    extent = total - origin;
    whole = extent >= EXTENT && row_length % 4 == 0 && is_aligned_for<Four>(operand);
    first = operand + (K_FIRST ? rows(origin) : origin);
    next = first + rows(row(0)) + column(0);
  }
  /// Elements between a row and the one `count` further.
  __device__ __forceinline__ long long rows(long long count) const { return count * row_length; }
  static __device__ __forceinline__ int row(int i) { return (i * THREADS + threadIdx.x) / kPerRow; }
  static __device__ __forceinline__ int column(int i) { return (i * THREADS + threadIdx.x) % kPerRow * 4; }
  static __device__ __forceinline__ bool mine(int i) {
    return kVectors % THREADS == 0 || i * THREADS + threadIdx.x < kVectors;
  }

  /// Starts loading the tile at `next`, a whole one, into registers.
  __device__ __forceinline__ void fetch() {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i)
      if (mine(i)) held[i] = *reinterpret_cast<const Four*>(next + rows(i * (THREADS / kPerRow)));
  }
  __device__ __forceinline__ void advance() {
    next += K_FIRST ? BK : rows(BK);
  }

 private:
  static_assert(THREADS % kPerRow == 0, "constraint whole_rows: a thread stays in its columns");

 public:
  /// Puts what was fetched into shared memory.
  __device__ __forceinline__ void store(float* tile) const {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      if (!mine(i)) continue;
      const float4 four = {to_float(held[i].get(0)), to_float(held[i].get(1)), to_float(held[i].get(2)),
                           to_float(held[i].get(3))};
      if (K_FIRST) {
        float* place = tile + column(i) * kStride + row(i);
        place[0] = four.x;
        place[kStride] = four.y;
        place[2 * kStride] = four.z;
        place[3 * kStride] = four.w;
      } else {
        *reinterpret_cast<float4*>(tile + row(i) * kStride + column(i)) = four;
      }
    }
  }

  /// The tile at k0, of which `depth` k exist, element by element: for edges and unaligned rows. Zeros beyond the
  /// edges: they add nothing to any product.
  __device__ __forceinline__ void copy_one_by_one(float* tile, int k0, int depth) const {
#pragma unroll 1
    for (int i = threadIdx.x; i < EXTENT * BK; i += THREADS) {
      const int x = K_FIRST ? i / BK : i % EXTENT;
      const int k = K_FIRST ? i % BK : i / EXTENT;
      const DTYPE* element = first + (K_FIRST ? rows(x) + k0 + k : rows(k0 + k) + x);
      tile[k * kStride + x] = x < extent && k < depth ? to_float(*element) : 0.0f;
    }
  }
};

using MoverA = Mover<BM, !TRANS_A>;
using MoverB = Mover<BN, TRANS_B>;
constexpr int kTileA = BK * MoverA::kStride;  // floats
constexpr int kTile = kTileA + BK * MoverB::kStride;

/// k of a tile that are unrolled: more than 8 take up to twice as long to compile.
constexpr int kUnroll = BK < 8 ? BK : 8;

/// sums += A tile * B tile for this thread's rows (from `a` on) and columns (from `b` on).
template <int UNROLL>
__device__ __forceinline__ void multiply(float (&sums)[TM][TN], const float* a, const float* b) {
#pragma unroll UNROLL
  for (int k = 0; k < BK; ++k) {
    float of_a[TM];
    float of_b[TN];
    load_groups(of_a, a + k * MoverA::kStride, LANES_M * 4);
    load_groups(of_b, b + k * MoverB::kStride, LANES_N * 4);
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sums[i][j] += of_a[i] * of_b[j];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    gemm(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int M, int N, int K, float alpha,
         float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int tiles_n = (N - 1) / BN + 1;
  const int m0 = static_cast<int>(blockIdx.x) / tiles_n * BM;
  const int n0 = static_cast<int>(blockIdx.x) % tiles_n * BN;

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int my_m = warp % kWarpsM * kWarpM + lane_m(lane) * 4;  // first row and column of this thread in the tile
  const int my_n = warp / kWarpsM * kWarpN + lane_n(lane) * 4;

  MoverA a(A, m0, M, K);
  MoverB b(B, n0, N, K);
  float* tile = reinterpret_cast<float*>(shared);
  float sums[TM][TN] = {};

  const int tiles = a.whole && b.whole ? K / BK : 0;  // the ones that need no look at edges
  if (DB && tiles > 0) {
    a.fetch();
    b.fetch();
    a.store(tile);
    b.store(tile + kTileA);
    __syncthreads();
    int present = 0;
    for (int t = 1; t <= tiles; ++t) {
      // The last tile is fetched once too often: cheaper than a branch in the loop, or a second copy of its body.
      if (t < tiles) {
        a.advance();
        b.advance();
      }
      a.fetch();
      b.fetch();
      multiply<kUnroll>(sums, tile + present + my_m, tile + present + kTileA + my_n);
      present = kTile - present;
      a.store(tile + present);
      b.store(tile + present + kTileA);
      __syncthreads();  // the new tile is complete, and nobody reads the old one any more
    }
  }
  if (!DB) {
    for (int t = 0; t < tiles; ++t) {
      a.fetch();
      b.fetch();
      a.advance();
      b.advance();
      a.store(tile);
      b.store(tile + kTileA);
      __syncthreads();  // the tile is complete
      multiply<kUnroll>(sums, tile + my_m, tile + kTileA + my_n);
      __syncthreads();  // nobody reads it any more
    }
  }
  // The rest, rolled up so that it costs neither registers nor compile time.
#pragma unroll 1
  for (int k0 = tiles * BK; k0 < K; k0 += BK) {
    a.copy_one_by_one(tile, k0, K - k0);
    b.copy_one_by_one(tile + kTileA, k0, K - k0);
    __syncthreads();
    multiply<1>(sums, tile + my_m, tile + kTileA + my_n);
    __syncthreads();
  }

  write_groups(sums, m0 + my_m, n0 + my_n, M, Epilogue(bias, C, D, M, N, alpha, beta, GIVEN_SCALES));
}
