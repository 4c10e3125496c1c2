#pragma once
// Tensor cores of sm_80 and later, one warp at a time: ldmatrix and mma.sync. PTX ISA, "Warp Level Matrix
// Multiply-Accumulate Instructions", "Warp-level matrix load instruction: ldmatrix" and "Matrix fragments for
// mma.m16n8k16 with floating point type", "... mma.m16n8k8", "... mma.m16n8k32". With g = lane / 4 and t = lane % 4 a
// thread holds
//   A (16 x 32 bytes of k)  4 registers: rows g, g + 8, g, g + 8; 4 bytes at byte 4 t (first two) and 16 + 4 t of the
//   row B (32 bytes of k x 8)   2 registers: column g; bytes 4 t and 16 + 4 t
//   C, D (16 x 8 floats)    4 registers: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
// where 32 bytes of k are 16 numbers of bf16 or fp16, 8 of tf32, 32 of int8 (whose sums are int32).
#include "common/types.cuh"

/// Four 8 x 8 matrices of 16-bit numbers (or 8 x 4 of 32-bit ones); lane i gives the address of row i % 8 of matrix i /
/// 8 and receives, in register j, 4 bytes at 4 t of row g of matrix j.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// The same, each 8 x 8 matrix of 16-bit numbers transposed.
__device__ __forceinline__ void load_matrices_transposed(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// One word of shared memory by its address in the shared window.
__device__ __forceinline__ unsigned load_word(unsigned address) {
  unsigned word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
  return word;
}

#define KERLAB_MMA(SHAPE_AND_TYPES)                                                        \
  asm("mma.sync.aligned." SHAPE_AND_TYPES                                                  \
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                   \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                             \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

/// sum += A B for one 16 x 8 tile and 32 bytes of k; fp32 sums. T: bf16_t, fp16_t or tf32_t.
template <typename T>
__device__ __forceinline__ void multiply_tile(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
template <>
__device__ __forceinline__ void multiply_tile<bf16_t>(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                                      unsigned b1) {
  KERLAB_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
}
template <>
__device__ __forceinline__ void multiply_tile<fp16_t>(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                                      unsigned b1) {
  KERLAB_MMA("m16n8k16.row.col.f32.f16.f16.f32");
}
template <>
__device__ __forceinline__ void multiply_tile<tf32_t>(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                                      unsigned b1) {
  KERLAB_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
}
#undef KERLAB_MMA

/// The same for int8_t: sums are int32 and wrap around.
template <typename T>
__device__ __forceinline__ void multiply_tile(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
