#pragma once
// Parts of the keys of a row, and how they are joined: with exp(m - m'), as tiles are (kernels/attention/README.md).
#include "common/rows/row_math.cuh"

/// What a part gives: the largest score (as a power of 2) and the sum of exp2(score - largest).
struct Part {
  float largest, sum;
};

/// What a part's sums are multiplied with when the largest of all is `largest`; 0 for a part that saw nothing.
__device__ __forceinline__ float share_of(Part part, float largest) {
  return part.largest == -infinity() ? 0.0f : exp2_fast(part.largest - largest);
}

/// Joins `parts` parts of a row: part_at(p), and sum_at(p) of one column. Returns O, not divided, and the row's own part.
template <typename PartAt, typename SumAt>
__device__ __forceinline__ float join(int parts, PartAt part_at, SumAt sum_at, Part& all) {
  all = {-infinity(), 0.0f};
  for (int p = 0; p < parts; ++p) all.largest = fmaxf(all.largest, part_at(p).largest);
  float sum = 0.0f;
  for (int p = 0; p < parts; ++p) {
    const Part part = part_at(p);
    const float share = share_of(part, all.largest);
    all.sum += share * part.sum;
    sum += share * sum_at(p);
  }
  return sum;
}

__device__ __forceinline__ float lse_of(Part all) {
  return all.sum == 0.0f ? -infinity() : all.largest / kLog2e + logf(all.sum);
}
/// What O, not divided, is multiplied with; 0 where there was nothing to see.
__device__ __forceinline__ float factor_of(Part all) { return all.sum == 0.0f ? 0.0f : 1.0f / all.sum; }

/// A row by its number, as O has them: sequence, query, head.
struct Row {
  int b, i, h;
  __device__ __forceinline__ Row(long long row, int queries, int heads)
      : b(static_cast<int>(row / heads / queries)), i(static_cast<int>(row / heads % queries)), h(static_cast<int>(row % heads)) {}
  __device__ __forceinline__ long long of_lse(int queries, int heads) const {
    return (static_cast<long long>(b) * heads + h) * queries + i;
  }
};
