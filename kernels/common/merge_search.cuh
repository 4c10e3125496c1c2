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
