#pragma once
// Tensor cores of sm_90a, a warpgroup (128 threads) at a time: wgmma. PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions". D (64 x N, registers) += A (64 x 32 bytes of k) B (32 bytes of k x N), both read
// from shared memory by the tensor cores themselves, while the threads go on. Of D, warp w of the group holds rows 16 w
// .. 16 w + 15; lane l has, in registers 4 j .. 4 j + 3, columns 8 j + l % 4 * 2 and the next of rows l / 4 (two) and l
// / 4 + 8 (two).
//
// Shared tiles are swizzled by 128 bytes, as the copy engine writes them:
//   k contiguous    rows of 64 (of 2 bytes) k, 128 bytes; 8 rows are an atom of 1024 bytes
//   k not contiguous (16-bit types only)   rows of 64 x, one for each k; the next 64 x lie after all k of these
#include "common/mbarrier.cuh"
#include "common/types.cuh"

/// Before the first wgmma of a group, and after registers of D were touched.
__device__ __forceinline__ void fence_sums() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most PENDING groups are unfinished; then D may be read, and the tiles overwritten.
template <int PENDING>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/// After the wait, where sums are then read in another order than they were computed: keeps the compiler from reading
/// them before (ptxas then serialises the products, C7514).
template <int COUNT>
__device__ __forceinline__ void settle_sums(float (&d)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int COUNT>
__device__ __forceinline__ void settle_sums(int (&d)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

/// Matrix descriptor (section "Matrix Descriptor Format") of a tile at a shared address, swizzled by 128 bytes: atoms
/// of 8 rows lie 1024 bytes apart; `leading`: bytes to the next 64 x where k is not contiguous.
__device__ __forceinline__ unsigned long long describe(unsigned address, unsigned leading) {
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 | static_cast<unsigned long long>(1024 >> 4) << 32 |
         1ull << 62;
}

template <typename T>
inline constexpr bool kIsBfloat = false;
template <>
inline constexpr bool kIsBfloat<bf16_t> = true;

// An instruction names each of its registers. Lists of names, ten at a time, and of operands, eight at a time, make up
// all of them.
#define KERLAB_TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define KERLAB_NAMES_4 "%0,%1,%2,%3"
#define KERLAB_NAMES_8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define KERLAB_NAMES_16 KERLAB_TEN() ",%10,%11,%12,%13,%14,%15"
#define KERLAB_NAMES_32 KERLAB_TEN() "," KERLAB_TEN(1) "," KERLAB_TEN(2) ",%30,%31"
#define KERLAB_NAMES_30 KERLAB_TEN() "," KERLAB_TEN(1) "," KERLAB_TEN(2)
#define KERLAB_NAMES_48 KERLAB_NAMES_30 "," KERLAB_TEN(3) ",%40,%41,%42,%43,%44,%45,%46,%47"
#define KERLAB_NAMES_60 KERLAB_NAMES_30 "," KERLAB_TEN(3) "," KERLAB_TEN(4) "," KERLAB_TEN(5)
#define KERLAB_NAMES_64 KERLAB_NAMES_60 ",%60,%61,%62,%63"
#define KERLAB_NAMES_90 KERLAB_NAMES_60 "," KERLAB_TEN(6) "," KERLAB_TEN(7) "," KERLAB_TEN(8)
#define KERLAB_NAMES_96 KERLAB_NAMES_90 ",%90,%91,%92,%93,%94,%95"
#define KERLAB_NAMES_128 \
  KERLAB_NAMES_90 "," KERLAB_TEN(9) "," KERLAB_TEN(10) "," KERLAB_TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127"

#define KERLAB_FOUR(c, i) "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define KERLAB_SUMS_4(c, i) KERLAB_FOUR(c, i)
#define KERLAB_SUMS_8(c, i) KERLAB_FOUR(c, i), KERLAB_FOUR(c, i + 4)
#define KERLAB_SUMS_16(c, i) KERLAB_SUMS_8(c, i), KERLAB_SUMS_8(c, i + 8)
#define KERLAB_SUMS_32(c, i) KERLAB_SUMS_16(c, i), KERLAB_SUMS_16(c, i + 16)
#define KERLAB_SUMS_48(c, i) KERLAB_SUMS_32(c, i), KERLAB_SUMS_16(c, i + 32)
#define KERLAB_SUMS_64(c, i) KERLAB_SUMS_32(c, i), KERLAB_SUMS_32(c, i + 32)
#define KERLAB_SUMS_96(c, i) KERLAB_SUMS_64(c, i), KERLAB_SUMS_32(c, i + 64)
#define KERLAB_SUMS_128(c, i) KERLAB_SUMS_64(c, i), KERLAB_SUMS_64(c, i + 64)

// One instruction. Inputs are numbered after the R sums: descriptors of A and B, whether D is added to, and whether A
// and B are stored with x contiguous.
#define KERLAB_WGMMA(c, k_and_types, immediates, n, R, a, b, add, ta, tb)                       \
  if constexpr (N == n)                                                                         \
  asm volatile("{\n\t.reg .pred added;\n\tsetp.ne.b32 added, " add                              \
               ", 0;\n\twgmma.mma_async.sync.aligned.m64n" #n k_and_types " {" KERLAB_NAMES_##R \
               "}, " a ", " b ", added" immediates(ta, tb) ";\n\t}"                             \
               : KERLAB_SUMS_##R(c, 0)                                                          \
               : "l"(tile_a), "l"(tile_b), "r"(static_cast<int>(added)), "n"(X_FIRST_A), "n"(X_FIRST_B))
#define KERLAB_EVERY_N(c, k_and_types, immediates)                                       \
  KERLAB_WGMMA(c, k_and_types, immediates, 8, 4, "%4", "%5", "%6", "%7", "%8");          \
  KERLAB_WGMMA(c, k_and_types, immediates, 16, 8, "%8", "%9", "%10", "%11", "%12");      \
  KERLAB_WGMMA(c, k_and_types, immediates, 32, 16, "%16", "%17", "%18", "%19", "%20");   \
  KERLAB_WGMMA(c, k_and_types, immediates, 64, 32, "%32", "%33", "%34", "%35", "%36");   \
  KERLAB_WGMMA(c, k_and_types, immediates, 96, 48, "%48", "%49", "%50", "%51", "%52");   \
  KERLAB_WGMMA(c, k_and_types, immediates, 128, 64, "%64", "%65", "%66", "%67", "%68");  \
  KERLAB_WGMMA(c, k_and_types, immediates, 192, 96, "%96", "%97", "%98", "%99", "%100"); \
  KERLAB_WGMMA(c, k_and_types, immediates, 256, 128, "%128", "%129", "%130", "%131", "%132")
#define KERLAB_SIGNS_AND_ORDERS(ta, tb) ", 1, 1, " ta ", " tb
#define KERLAB_SIGNS(ta, tb) ", 1, 1"
#define KERLAB_NO_IMMEDIATES(ta, tb) ""

/// D += A B, or D = A B unless `added`, for 32 bytes of k; A and B by descriptor. N: 8, 16, 32, 64, 96, 128, 192 or
/// 256. X_FIRST: 1 where k is not the contiguous index (16-bit types only).
template <typename T, int N, int X_FIRST_A, int X_FIRST_B, typename Sum>
__device__ __forceinline__ void multiply_tiles(Sum (&d)[N / 2], unsigned long long tile_a, unsigned long long tile_b,
                                               bool added) {
  static_assert(sizeof(T) == 2 || X_FIRST_A + X_FIRST_B == 0, "only 16-bit types are read with x contiguous");
  if constexpr (sizeof(T) == 1) {
    KERLAB_EVERY_N("r", "k32.s32.s8.s8", KERLAB_NO_IMMEDIATES);
  } else if constexpr (sizeof(T) == 4) {
    KERLAB_EVERY_N("f", "k8.f32.tf32.tf32", KERLAB_SIGNS);
  } else if constexpr (kIsBfloat<T>) {
    KERLAB_EVERY_N("f", "k16.f32.bf16.bf16", KERLAB_SIGNS_AND_ORDERS);
  } else {
    KERLAB_EVERY_N("f", "k16.f32.f16.f16", KERLAB_SIGNS_AND_ORDERS);
  }
}
#undef KERLAB_WGMMA
#undef KERLAB_EVERY_N
