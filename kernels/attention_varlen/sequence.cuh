#pragma once
// Which sequence a place belongs to, and where its rows lie.
#include "attention/problem.cuh"

/// The last of `count` entries that is at most `at`; entry 0 is, and entries rise. Of offsets: the sequence that place
/// `at` belongs to (those that begin there and are empty come before it).
__device__ __forceinline__ int last_up_to(const int* entries, int count, int at) {
  int first = 0, behind = count;
  while (behind - first > 1) {
    const int middle = first + (behind - first) / 2;
    if (entries[middle] <= at)
      first = middle;
    else
      behind = middle;
  }
  return first;
}

/// Where the queries and keys of a sequence begin, and how many there are.
struct Sequence {
  int first_query, queries, first_key, keys;

  __device__ __forceinline__ Sequence(const int* query_offsets, const int* key_offsets, int b)
      : first_query(query_offsets[b]),
        queries(query_offsets[b + 1] - query_offsets[b]),
        first_key(key_offsets[b]),
        keys(key_offsets[b + 1] - key_offsets[b]) {}
};

/// Rows of a head from place `first` on, of a tensor of places x heads x depth.
template <typename T>
__device__ __forceinline__ HeadRows<T> packed_rows(T* tensor, int first, int head, int heads, int depth) {
  return {tensor + (static_cast<long long>(first) * heads + head) * depth, static_cast<long long>(heads) * depth};
}
