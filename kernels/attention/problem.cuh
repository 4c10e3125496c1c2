#pragma once
// Where rows of Q, K, V, O and LSE lie, and which keys a query sees. CAUSAL and BSHD are the problem's flags.
#include "common/types.cuh"

/// Rows of one head of a tensor: `first` is row 0, the next ones follow `stride` elements apart.
template <typename T>
struct HeadRows {
  T* first;
  long long stride;
  __device__ __forceinline__ T* row(int i) const { return first + i * stride; }
};

/// Head `head` of sequence `b` of a tensor of `heads` heads and `places` places.
template <typename T>
__device__ __forceinline__ HeadRows<T> rows_of(T* tensor, int b, int head, int heads, int places, int depth) {
  const long long of_sequence = static_cast<long long>(b) * heads * places;
  if (BSHD) return {tensor + (of_sequence + head) * depth, static_cast<long long>(heads) * depth};
  return {tensor + (of_sequence + static_cast<long long>(head) * places) * depth, depth};
}

/// How many keys query i sees: keys 0 .. visible - 1.
__device__ __forceinline__ int visible_keys(int i, int queries, int keys) {
  if (!CAUSAL) return keys;
  const long long seen = static_cast<long long>(i) + 1 + keys - queries;
  return seen < 0 ? 0 : static_cast<int>(seen);
}
