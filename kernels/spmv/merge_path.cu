// Rung 4, merge_path: every block takes as many ends of rows and non-zeros, together, as any other.
//
// Idea       the ends of the rows and the numbers of the non-zeros are two rising lists. Merged, they say when a sum is
//            written and when a product is added; the merge is cut into pieces of one length, wherever a row begins.
//            A block takes its piece tile by tile: it makes the products side by side into shared memory, a thread walks
//            through ITEMS of the merge, and a segmented scan joins what one row left with several threads. What a block
//            carries out (the sum of the row that goes on) is added by a second launch, always in the same order.
//            Columns and values come by 16 bytes, and all numbers of x of a tile are asked for before one is used.
// Parameters THREADS of a block; ITEMS of the merge a thread, whose odd values have no bank conflicts; TILES of a block:
//            only the first is looked for among all rows, and only the last has a carry.
// Expects    M + Z below 2^31; addresses of columns and values that are multiples of 16.
// Lacks      shape: each product goes through shared memory, which short even rows do not need.
// Read       Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC16.
#include "common/merge_search.cuh"
#include "few.cuh"
#include "segment.cuh"

constexpr int kTile = THREADS * ITEMS, kPiece = kTile * TILES;
constexpr int kLoads = (kTile + kWide - 1 + kWide * THREADS - 1) / (kWide * THREADS);
constexpr int kAdders = 512;

struct Tile {
  int ends[kTile];
  __align__(16) DTYPE products[kTile + kWide];  ///< behind as many places as the first is ahead of a multiple of kWide
  int rows_before_next;
  Segment carried;

  /// The products of the non-zeros in [first, end), behind `first % kWide` places.
  __device__ __forceinline__ void multiply(const int* __restrict__ columns, const DTYPE* __restrict__ values,
                                           const DTYPE* __restrict__ x, int first, int end, int Z) {
    const int aligned = first / kWide * kWide;
    Few loads[kLoads];
#pragma unroll
    for (int q = 0; q < kLoads; ++q) loads[q].load(columns, values, aligned + kWide * place(q), first, end, Z);
    Vector<DTYPE, kWide> made[kLoads];
#pragma unroll
    for (int q = 0; q < kLoads; ++q)
#pragma unroll
      for (int i = 0; i < kWide; ++i) made[q].at[i] = loads[q].product(i, x);
#pragma unroll
    for (int q = 0; q < kLoads; ++q)
      if (aligned + kWide * place(q) < end) *reinterpret_cast<Vector<DTYPE, kWide>*>(products + kWide * place(q)) = made[q];
  }

 private:
  __device__ __forceinline__ static int place(int q) { return q * THREADS + static_cast<int>(threadIdx.x); }
};

extern "C" __global__ void __launch_bounds__(THREADS)
merge_tiles(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
            const DTYPE* __restrict__ x, DTYPE* __restrict__ y, DTYPE* __restrict__ carries, int* __restrict__ open, int M,
            int Z) {
  __shared__ Tile tile;
  const int thread = static_cast<int>(threadIdx.x);
  const bool searches = thread < 32;
  const int piece_end = min((static_cast<int>(blockIdx.x) + 1) * kPiece, M + Z);
  int begin = static_cast<int>(blockIdx.x) * kPiece;
  if (searches) tile.rows_before_next = warp_ends_before(starts + 1, M, 0, Z, begin);
  __syncthreads();
  int row = tile.rows_before_next, first = begin - row;
  __syncthreads();
  Segment carry = {0, false};
  for (; begin < piece_end; begin += kTile) {
    const int items = min(kTile, piece_end - begin);
    if (searches) tile.rows_before_next = row + warp_ends_before(starts + 1 + row, M - row, first, Z - first, items);
    __syncthreads();
    const int rows = tile.rows_before_next - row, elements = items - rows, ahead = first % kWide;
    for (int i = thread; i < rows; i += THREADS) tile.ends[i] = starts[row + 1 + i];
    tile.multiply(columns, values, x, first, first + elements, Z);
    __syncthreads();

    const int from = min(thread * ITEMS, items), to = min(from + ITEMS, items);
    int r = ends_before(tile.ends, rows, first, elements, from);
    int e = from - r;
    int head = -1;  // the first row that ends here may have begun with an earlier thread
    DTYPE head_sum = 0, sum = 0;
    for (int item = from; item < to; ++item) {
      if (r < rows && tile.ends[r] <= first + e) {
        if (head < 0) {
          head = r;
          head_sum = sum;
        } else {
          y[row + r] = sum;
        }
        sum = 0;
        ++r;
      } else {
        sum += tile.products[ahead + e++];
      }
    }
    Segment before;
    const Segment all = joined(carry, scan_segments<THREADS>({sum, head >= 0}, before));
    if (head >= 0) y[row + head] = joined(carry, before).sum + head_sum;
    if (thread == THREADS - 1) tile.carried = all;
    row += rows;
    first += elements;
    __syncthreads();
    carry = tile.carried;
  }
  if (thread == 0) {
    carries[blockIdx.x] = carry.sum;
    open[blockIdx.x] = row;
  }
}

/// One block adds what the pieces carried out: those of one row follow one another.
extern "C" __global__ void __launch_bounds__(kAdders)
add_carries(const DTYPE* __restrict__ carries, const int* __restrict__ open, DTYPE* __restrict__ y, int M, int pieces) {
  __shared__ Segment carried;
  const int thread = static_cast<int>(threadIdx.x);
  Segment carry = {0, false};
  for (int piece = thread; piece - thread < pieces; piece += kAdders) {
    const bool in = piece < pieces;
    const int row = in ? open[piece] : M;
    const int earlier = in && piece > 0 ? open[piece - 1] : -1;
    const int later = piece + 1 < pieces ? open[piece + 1] : M;
    Segment before;
    const Segment own = {in ? carries[piece] : DTYPE(0), row != earlier};
    const Segment all = joined(carry, scan_segments<kAdders>(own, before));
    if (in && row < M && row != later) y[row] += all.sum;
    if (thread == kAdders - 1) carried = all;
    __syncthreads();
    carry = carried;
  }
}
