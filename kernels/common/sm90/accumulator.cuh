#pragma once
// Accumulators of wgmma (64 x N a warpgroup): which element a register is, and how they become the A operand of the
// next wgmma (P of attention, the middle of a chain of products) without leaving the registers. PTX ISA, "Matrix
// Fragments for wgmma.mma_async.m64nNk16". Every thread for itself; no fence, but wgmma_fence before the operand is
// used.
#include "common/types.cuh"

/// Register i of a thread of a warpgroup, of N / 2: columns 8 j .. 8 j + 7 are those numbered 4 j .. 4 j + 3.
struct AccumulatorLayout {
  int first_row, first_column;  ///< of register 0: row 0 to 63, column 0, 2, 4 or 6

  __device__ __forceinline__ AccumulatorLayout()
      : first_row(static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4),
        first_column(static_cast<int>(threadIdx.x) % 4 * 2) {}
  __device__ __forceinline__ int row(int i) const { return first_row + i % 4 / 2 * 8; }
  __device__ __forceinline__ int column(int i) const { return first_column + i / 4 * 8 + i % 2; }
};
// A row of the accumulators is shared by four neighbouring lanes: a reduction over it is two shuffles (xor 1, 2), after
// each lane has reduced its own registers of rows i % 4 / 2 = 0 and 1.

/// Two floats, rounded once each, to nearest even; the first in the low half.
template <typename T>
__device__ __forceinline__ unsigned pack_two(float low, float high);
template <>
__device__ __forceinline__ unsigned pack_two<bf16_t>(float low, float high) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}
template <>
__device__ __forceinline__ unsigned pack_two<fp16_t>(float low, float high) {
  unsigned both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

/// Columns 16 step .. 16 step + 15 of the accumulators as the A operand of k step `step` of the next product, rounded
/// to T (bf16_t, fp16_t): each thread has the very elements that it must hand over. (Of 8-bit types and tf32 it has
/// not.)
template <typename T, int Count>
__device__ __forceinline__ void to_operand(unsigned (&a)[4], const float (&accumulators)[Count], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = pack_two<T>(accumulators[step * 8 + i * 2], accumulators[step * 8 + i * 2 + 1]);
}
