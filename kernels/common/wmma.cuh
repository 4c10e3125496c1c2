#pragma once
// Tensor cores through WMMA: fragments whose contents only the hardware knows, loaded from shared memory in either
// order. PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions: wmma.load, wmma.mma, wmma.store". Ours instead
// of mma.h, which costs half as much to compile as a kernel. Shapes: m16n16k16 for bf16 and fp16, m16n16k8 for
// tf32. Called by all threads of a warp together; no fence.
#include "common/types.cuh"

/// What a lane holds of a 16 x 16 (tf32: 16 x 8) operand and of 16 x 16 accumulators.
template <typename T> struct Wmma;
template <> struct Wmma<bf16_t> { static constexpr int kK = 16, kRegisters = 4; };
template <> struct Wmma<fp16_t> { static constexpr int kK = 16, kRegisters = 8; };
template <> struct Wmma<tf32_t> { static constexpr int kK = 8, kRegisters = 4; };

#define KERLAB_WMMA_LOAD4(WHAT, SHAPE_AND_TYPE)                                            \
  asm volatile("wmma.load." WHAT ".sync.aligned." SHAPE_AND_TYPE " {%0, %1, %2, %3}, [%4], %5;" \
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                       \
               : "r"(from), "r"(stride)                                                    \
               : "memory")
#define KERLAB_WMMA_LOAD8(WHAT, SHAPE_AND_TYPE)                                            \
  asm volatile("wmma.load." WHAT ".sync.aligned." SHAPE_AND_TYPE                           \
               " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                              \
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]), "=r"(to[4]), "=r"(to[5]), "=r"(to[6]),      \
                 "=r"(to[7])                                                                                     \
               : "r"(from), "r"(stride)                                                    \
               : "memory")
#define KERLAB_WMMA_LOAD(FUNCTION, WHAT)                                                                        \
  template <typename T, bool ROW>                                                                               \
  __device__ __forceinline__ void FUNCTION(unsigned (&to)[Wmma<T>::kRegisters], unsigned from, int stride) {    \
    if constexpr (Wmma<T>::kRegisters == 8) {                                                                       \
      if constexpr (ROW) KERLAB_WMMA_LOAD8(WHAT, "row.m16n16k16.shared.f16");                                   \
      else KERLAB_WMMA_LOAD8(WHAT, "col.m16n16k16.shared.f16");                                                 \
    } else if constexpr (Wmma<T>::kK == 16) {                                                                \
      if constexpr (ROW) KERLAB_WMMA_LOAD4(WHAT, "row.m16n16k16.shared.bf16");                                  \
      else KERLAB_WMMA_LOAD4(WHAT, "col.m16n16k16.shared.bf16");                                                \
    } else {                                                                                                    \
      if constexpr (ROW) KERLAB_WMMA_LOAD4(WHAT, "row.m16n16k8.shared.tf32");                                   \
      else KERLAB_WMMA_LOAD4(WHAT, "col.m16n16k8.shared.tf32");                                                 \
    }                                                                                                           \
  }
/// A fragment from shared memory (an address in its window, a multiple of 32), rows (ROW) or columns of
/// which lie `stride` elements apart; stride in bytes is a multiple of 16.
KERLAB_WMMA_LOAD(load_wmma_a, "a")
KERLAB_WMMA_LOAD(load_wmma_b, "b")
#undef KERLAB_WMMA_LOAD
#undef KERLAB_WMMA_LOAD4
#undef KERLAB_WMMA_LOAD8

#define KERLAB_WMMA_MMA4(A_AND_B, SHAPE_AND_TYPES)                                                                    \
  asm volatile("wmma.mma.sync.aligned." A_AND_B SHAPE_AND_TYPES                                                       \
      " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3, %4, %5, %6, %7};" \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]) \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]))
#define KERLAB_WMMA_MMA8(A_AND_B, SHAPE_AND_TYPES)                                                                    \
  asm volatile("wmma.mma.sync.aligned." A_AND_B SHAPE_AND_TYPES                                                       \
      " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "                                   \
      "{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"                                   \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]) \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]), "r"(b[1]),  \
        "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]))

#define KERLAB_WMMA_ORDERS(MMA, SHAPE_AND_TYPES)                              \
  if constexpr (A_ROW && B_ROW) MMA("row.row.", SHAPE_AND_TYPES);             \
  else if constexpr (A_ROW) MMA("row.col.", SHAPE_AND_TYPES);                 \
  else if constexpr (B_ROW) MMA("col.row.", SHAPE_AND_TYPES);                 \
  else MMA("col.col.", SHAPE_AND_TYPES)

/// sum += A B; A_ROW, B_ROW: the orders in which the fragments were loaded.
template <typename T, bool A_ROW, bool B_ROW>
__device__ __forceinline__ void multiply_wmma(float (&sum)[8], const unsigned (&a)[Wmma<T>::kRegisters],
                                              const unsigned (&b)[Wmma<T>::kRegisters]) {
  if constexpr (Wmma<T>::kRegisters == 8) {
    KERLAB_WMMA_ORDERS(KERLAB_WMMA_MMA8, "m16n16k16.f32.f32");
  } else if constexpr (Wmma<T>::kK == 16) {
    KERLAB_WMMA_ORDERS(KERLAB_WMMA_MMA4, "m16n16k16.f32.bf16.bf16.f32");
  } else {
    KERLAB_WMMA_ORDERS(KERLAB_WMMA_MMA4, "m16n16k8.f32.tf32.tf32.f32");
  }
}

#undef KERLAB_WMMA_ORDERS
#undef KERLAB_WMMA_MMA4
#undef KERLAB_WMMA_MMA8

/// 16 x 16 accumulators to shared memory, in rows `stride` numbers apart.
__device__ __forceinline__ void store_wmma(unsigned to, const float (&sum)[8], int stride) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"
               ::"r"(to),
               "f"(sum[0]), "f"(sum[1]), "f"(sum[2]), "f"(sum[3]), "f"(sum[4]), "f"(sum[5]), "f"(sum[6]), "f"(sum[7]),
               "r"(stride)
               : "memory");
}
