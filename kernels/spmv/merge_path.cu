// Rung 3, merge_path: every block takes as many ends of rows and non-zeros, together, as any other.
//
// Idea       the ends of the rows and the numbers of the non-zeros are two rising lists. Merged, they say when a sum is
//            written and when a product is added; the merge is cut into pieces of one length, wherever a row begins.
//            A block makes the products of its piece side by side into shared memory, a thread walks through ITEMS of the
//            merge, and a segmented scan joins what one row left with several threads. What a block carries out
//            (the sum of the row that goes on) is added by a second launch, always in the same order.
// Parameters THREADS of a block; ITEMS of the merge a thread, whose odd values have no bank conflicts.
// Expects    M + Z below 2^31.
// Lacks      shape: each product goes through shared memory, which short even rows do not need.
// Read       Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC16.
#include "common/merge_search.cuh"
#include "segment.cuh"

constexpr int kTile = THREADS * ITEMS;

extern "C" __global__ void __launch_bounds__(THREADS)
merge_tiles(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
            const DTYPE* __restrict__ x, DTYPE* __restrict__ y, DTYPE* __restrict__ carries, int M, int Z) {
  __shared__ int ends[kTile];
  __shared__ DTYPE products[kTile];
  __shared__ int corner[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int begin = static_cast<int>(blockIdx.x) * kTile, stop = min(begin + kTile, M + Z);
  if (thread % 32 == 0 && thread < 64) corner[thread / 32] = ends_before(starts + 1, M, 0, Z, thread == 0 ? begin : stop);
  __syncthreads();
  const int row = corner[0], rows = corner[1] - row;
  const int first = begin - row, elements = stop - corner[1] - first;
  for (int i = thread; i < rows; i += THREADS) ends[i] = starts[row + 1 + i];
  for (int i = thread; i < elements; i += THREADS) products[i] = values[first + i] * x[columns[first + i]];
  __syncthreads();

  const int from = min(thread * ITEMS, stop - begin), to = min(from + ITEMS, stop - begin);
  int r = ends_before(ends, rows, first, elements, from);
  int e = from - r;
  int head = -1;  // the first row that ends here may have begun with an earlier thread
  DTYPE head_sum = 0, sum = 0;
  for (int item = from; item < to; ++item) {
    if (r < rows && ends[r] <= first + e) {
      if (head < 0) {
        head = r;
        head_sum = sum;
      } else {
        y[row + r] = sum;
      }
      sum = 0;
      ++r;
    } else {
      sum += products[e++];
    }
  }
  DTYPE before;
  const Segment all = scan_segments({sum, head >= 0}, before);
  if (head >= 0) y[row + head] = before + head_sum;
  if (thread == THREADS - 1) carries[blockIdx.x] = all.sum;
}

/// One block adds what the tiles carried out: the tiles of a row follow one another. Which row it is says the merge.
extern "C" __global__ void __launch_bounds__(THREADS)
add_carries(const int* __restrict__ starts, const DTYPE* __restrict__ carries, DTYPE* __restrict__ y, int M, int Z, int tiles) {
  __shared__ Segment carried;
  const int thread = static_cast<int>(threadIdx.x);
  Segment carry = {0, false};
  for (int tile = thread; tile - thread < tiles; tile += THREADS) {
    const bool in = tile < tiles;
    const int row = in ? ends_before(starts + 1, M, 0, Z, min((tile + 1) * kTile, M + Z)) : M;
    const int earlier = in && tile > 0 ? ends_before(starts + 1, M, 0, Z, tile * kTile) : -1;
    const int later = tile + 1 < tiles ? ends_before(starts + 1, M, 0, Z, min((tile + 2) * kTile, M + Z)) : M;
    DTYPE before;
    const Segment own = {in ? carries[tile] : DTYPE(0), row != earlier};
    Segment all = scan_segments(own, before);
    all = joined(carry, all);
    if (in && row < M && row != later) y[row] += all.sum;
    if (thread == THREADS - 1) carried = all;
    __syncthreads();
    carry = carried;
  }
}
