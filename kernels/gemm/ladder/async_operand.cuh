#pragma once
// One operand of the fp32 rungs on its way by cp.async: EXTENT rows of A ("x") or columns of B, by BK, into k-major
// shared memory, element (k, x) at k * kStride + x, so that the numbers of one k are consecutive and come 4 at a time.
// Where x is contiguous in global memory too, 16 bytes go at once; where k is, each number goes alone and is transposed
// on the way: cp.async puts every 4 bytes wherever they are wanted, without a register or a store in between.
#include "common/sm80/cp_async.cuh"
#include "lane_grid.cuh"

/// VECTOR: x is contiguous and rows are multiples of 16 bytes. EDGE: EXTENT does not divide the extent of the operand.
template <int EXTENT, bool K_FIRST, bool VECTOR, bool EDGE>
struct AsyncOperand {
  static constexpr int kPad = K_FIRST ? 4 : 0;  // neighbours in k are stored at once: into different banks
  static constexpr int kStride = EXTENT + kPad;
  static constexpr int kFloats = BK * kStride;
  static constexpr int kWidth = !K_FIRST && VECTOR ? 4 : 1;  // floats in a copy
  static constexpr int kPerRow = (K_FIRST ? BK : EXTENT) / kWidth;
  static constexpr int kPasses = EXTENT * BK / kWidth / THREADS;
  static constexpr int kPassRows = THREADS / kPerRow;
  static_assert(THREADS % kPerRow == 0 && EXTENT * BK % (kWidth * THREADS) == 0, "constraint whole_passes");

  const float* next;     // this thread's first number in the tile to copy next
  long long row_length;  // of global memory
  unsigned long long inside;  // bit i: pass i lies within the extent

  static __device__ __forceinline__ int my_row() { return static_cast<int>(threadIdx.x) / kPerRow; }
  static __device__ __forceinline__ int my_column() { return static_cast<int>(threadIdx.x) % kPerRow * kWidth; }
  static __device__ __forceinline__ int my_k(int i) { return K_FIRST ? my_column() : my_row() + i * kPassRows; }
  static __device__ __forceinline__ int my_x(int i) { return K_FIRST ? my_row() + i * kPassRows : my_column(); }

  __device__ __forceinline__ AsyncOperand(const float* operand, int origin, int total, int K) {
    row_length = K_FIRST ? K : total;
    next = operand + (K_FIRST ? origin * row_length : origin) + my_row() * row_length + my_column();
    inside = 0;
#pragma unroll
    for (int i = 0; i < kPasses; ++i)
      if (my_x(i) < total - origin) inside |= 1ull << i;
  }

  /// Copies pass `i` of the tile at `next` to `tile` (an address in shared memory), or zeros.
  __device__ __forceinline__ void copy(unsigned tile, int i, bool wanted) const {
    const unsigned to = tile + (my_k(i) * kStride + my_x(i)) * 4;
    const float* from = next + i * kPassRows * row_length;
    if (EDGE) wanted = wanted && (inside >> i & 1) != 0;
    if (kWidth == 4)
      sm80::cp_async_16(to, from, wanted);
    else
      sm80::cp_async_4(to, from, wanted);
  }

  /// A tile of which only `depth` k exist.
  __device__ __forceinline__ void copy_first(unsigned tile, int depth) const {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) copy(tile, i, my_k(i) < depth && (inside >> i & 1) != 0);
  }

  __device__ __forceinline__ void advance(int k) { next += K_FIRST ? k : k * row_length; }
};

// Derived in the variant's toml: THREADS; VECTOR_A, VECTOR_B; EDGE_M, EDGE_N.
using OperandA = AsyncOperand<BM, !TRANS_A, VECTOR_A != 0, EDGE_M != 0>;
using OperandB = AsyncOperand<BN, TRANS_B != 0, VECTOR_B != 0, EDGE_N != 0>;
constexpr int kStageFloats = OperandA::kFloats + OperandB::kFloats;
