#pragma once
// Tensor cores, a warp at a time. PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", "Matrix Fragments for
// mma.m16n8k16 with floating point type", "... mma.m16n8k8", "... mma.m16n8k32". Called by all threads of a warp
// together; synchronous, no fence. With g = lane / 4 and t = lane % 4 a lane holds, of 16-bit numbers,
//   A (16 x 16)  4 registers of two numbers: row g, k 2 t; row g + 8, k 2 t; row g, k 2 t + 8; row g + 8, k 2 t + 8
//   B (16 x 8)   2 registers: column g, k 2 t; column g, k 2 t + 8
//   C, D (16 x 8)   4 floats: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
// and of other types the same bytes: k is 32 bytes, 8 numbers of tf32 or 32 of int8.
// Two Cs side by side, rounded and packed in pairs, are an A: that is how the weights of attention meet the values.
#include "common/types.cuh"

namespace sm80 {

/// d += A B.
template <typename T>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
template <>
__device__ __forceinline__ void mma_m16n8k16<bf16_t>(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void mma_m16n8k16<fp16_t>(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// What products of T are added up in.
template <typename T>
struct AccumulatorOf {
  using Type = float;
};
template <>
struct AccumulatorOf<int8_t> {
  using Type = int;
};

/// d += A B for 32 bytes of k, of bf16, fp16, tf32 or int8 (whose int32 accumulators wrap around).
template <typename T>
__device__ __forceinline__ void mma_m16n8(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (sizeof(T) == 2)
    mma_m16n8k16<T>(d, a, b0, b1);
  else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <typename T>
__device__ __forceinline__ void mma_m16n8(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace sm80
