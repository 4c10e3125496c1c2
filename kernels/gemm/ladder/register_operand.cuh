#pragma once
// One operand of reg2d on its way through registers: what cp.async does without them (async_operand.cuh). Defines
// wanted: BK, PAD, THREADS.
#include "common/types.cuh"

/// Moves tiles of one operand, EXTENT rows of op(A) or columns of op(B) by BK, from global memory through registers to
/// shared memory, where element (x, k) lies at k * kStride + x. K_FIRST: k is the contiguous index in global memory.
template <int EXTENT, bool K_FIRST>
struct RegisterOperand {
  using Four = Packed<DTYPE, 4>;
  static constexpr int kStride = EXTENT + PAD;
  static constexpr int kPerRow = (K_FIRST ? BK : EXTENT) / 4;  // vectors in a row of the tile as it lies in memory
  static constexpr int kVectors = EXTENT * BK / 4;
  static constexpr int kPerThread = (kVectors + THREADS - 1) / THREADS;
  static_assert(THREADS % kPerRow == 0, "constraint whole_rows: a thread's vectors are of the same columns");

  const DTYPE* first;  // element (0, 0) of the tile at k = 0
  const DTYPE* next;   // this thread's first element in the tile to fetch next
  int row_length;      // elements, in global memory
  int extent;          // rows or columns from the tile's origin to the edge
  bool whole;          // vectors may be read without a look at `extent`
  Four held[kPerThread];

  __device__ __forceinline__ RegisterOperand(const DTYPE* operand, int origin, int total, int K) {
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
