#pragma once
// The ends of the rows of a CSR matrix, merged with the numbers of its non-zeros: an end comes before the non-zero of its
// number. Cut into pieces of one length, the merge gives everybody as many ends and non-zeros, together, as any other.
// Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC16.

/// How many ends of rows are among the first `diagonal` items of the merge of `rows` ends with the non-zeros from `first`.
__device__ __forceinline__ int ends_before(const int* ends, int rows, int first, int elements, int diagonal) {
  int low = max(diagonal - elements, 0), high = min(diagonal, rows);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] <= first + diagonal - 1 - middle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The same by a warp, which looks at 32 places at once: of a million rows in four looks instead of twenty, one after another.
__device__ __forceinline__ int warp_ends_before(const int* ends, int rows, int first, int elements, int diagonal) {
  int low = max(diagonal - elements, 0), high = min(diagonal, rows);
  while (low < high) {
    const int step = (high - low + 31) / 32, last = low + (static_cast<int>(threadIdx.x) % 32 + 1) * step - 1;
    const bool before = last < high && ends[last] <= first + diagonal - 1 - last;
    low += __popc(__ballot_sync(0xffffffffU, before)) * step;
    high = min(high, low + step - 1);
  }
  return low;
}
