#pragma once
// L2 prefetch of all that a block will load of an operand, as soon as the block begins: before TMA has read its maps,
// and in whole rows, not tile by tile. By PREFETCH: 1 cp.async.bulk.prefetch, a row at a time, 2 prefetch.global.L2,
// 128 bytes at a time.
#include "common/sm90/tma.cuh"
#include "element_types.cuh"

/// Of an operand with `extent` x (rows of A, columns of B) and K k: EXTENT x from x0 on, k from first_k to end_k; by
/// `threads` threads, of which this is number `thread`.
template <int EXTENT, bool K_FIRST>
__device__ __forceinline__ void l2_prefetch_slice(const DTYPE* operand, int x0, int extent, int first_k, int end_k,
                                                  int K, int thread, int threads) {
  if (end_k > K) end_k = K;
  const int end_x = x0 + EXTENT < extent ? x0 + EXTENT : extent;
  const int first_row = K_FIRST ? x0 : first_k, end_row = K_FIRST ? end_x : end_k;
  const int first = K_FIRST ? first_k : x0;
  const int bytes = ((K_FIRST ? end_k : end_x) - first) * DTYPE_BYTES;
  if (bytes <= 0) return;
  const long long length = K_FIRST ? K : extent;
  const auto row_at = [&](int row) { return reinterpret_cast<const char*>(operand + row * length + first); };
  if (PREFETCH == 1) {
#pragma unroll 1
    for (int row = first_row + thread; row < end_row; row += threads) l2_prefetch(row_at(row), bytes);
  } else if (PREFETCH == 2) {
    const int lines = (bytes - 1) / 128 + 1;
#pragma unroll 1
    for (int at = thread; at < (end_row - first_row) * lines; at += threads)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(row_at(first_row + at / lines) + at % lines * 128));
  }
}
