#pragma once
// Tensor cores of sm_90a, a warpgroup (128 threads) at a time: wgmma. PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate Instructions". D (64 x N, registers) += A (64 x 32 bytes of k) B (32 bytes of k x N), both read
// from shared memory by the tensor cores themselves, while the threads go on. Of D, warp w of the group holds rows 16 w
// .. 16 w + 15; lane l has, in registers 4 j .. 4 j + 3, columns 8 j + l % 4 * 2 and the next of rows l / 4 (two) and l
// / 4 + 8 (two).
//
// Shared tiles are swizzled by 128 bytes, as TMA writes them:
//   k contiguous    rows of 64 (of 2 bytes) k, 128 bytes; 8 rows are an atom of 1024 bytes
//   k not contiguous (16-bit types only)   rows of 64 x, one for each k; the next 64 x lie after all k of these
#include "common/mbarrier.cuh"
#include "common/types.cuh"
#include "common/wgmma_registers.cuh"

/// Which warpgroup of the block this thread belongs to. Told by lane 0 to its warp: the compiler then knows that the
/// warp is of one mind, keeps descriptors in uniform registers, and a stage of a main loop costs 60 instructions,
/// not 95.
__device__ __forceinline__ int warpgroup() {
  return __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 128, 0);
}

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
/// of 8 rows lie 1024 bytes apart; `leading`: bytes to the next 64 x where k is not contiguous. Address and distance
/// are in units of 16 bytes in the low word; the high word is the same for all tiles. In a cluster an address carries
/// the rank of its block above the 18 bits that count here.
__device__ __forceinline__ unsigned describe_low(unsigned address, unsigned leading) {
  return (address & 0x3ffff) / 16 | leading / 16 << 16;
}
__device__ __forceinline__ unsigned long long described(unsigned low) {
  return static_cast<unsigned long long>(1024 / 16 | 1u << 30) << 32 | low;
}

// A kernel uses one instruction: its n is WGMMA_N, 8 to 256 in steps of 8 (int8: 8, 24 and the multiples of 16); its
// types are the problem's.
#ifndef WGMMA_N
#error "define WGMMA_N, the columns of one wgmma, before this is included"
#endif
#if DTYPE_INT8
#define KERLAB_WGMMA_KIND "k32.s32.s8.s8"
#elif DTYPE_E4M3
#define KERLAB_WGMMA_KIND "k32.f32.e4m3.e4m3"
#elif DTYPE_E5M2
#define KERLAB_WGMMA_KIND "k32.f32.e5m2.e5m2"
#elif DTYPE_TF32
#define KERLAB_WGMMA_KIND "k8.f32.tf32.tf32"
#elif DTYPE_BF16
#define KERLAB_WGMMA_KIND "k16.f32.bf16.bf16"
#elif DTYPE_FP16
#define KERLAB_WGMMA_KIND "k16.f32.f16.f16"
#endif
#if DTYPE_INT8
#define KERLAB_WGMMA_IMMEDIATES(ta, tb) ""
#elif DTYPE_BYTES == 2
#define KERLAB_WGMMA_IMMEDIATES(ta, tb) ", 1, 1, " ta ", " tb
#else
#define KERLAB_WGMMA_IMMEDIATES(ta, tb) ", 1, 1"
#endif

#define KERLAB_TEXT_AT(n) #n
#define KERLAB_TEXT(n) KERLAB_TEXT_AT(n)
#define KERLAB_WGMMA(a, b, add, ta, tb)                                                                                \
  "{\n\t.reg .pred added;\n\tsetp.ne.b32 added, " add ", 0;\n\twgmma.mma_async.sync.aligned.m64n" KERLAB_TEXT(WGMMA_N) \
      KERLAB_WGMMA_KIND " {" KERLAB_NAMES(WGMMA_N) "}, " a ", " b ", added" KERLAB_WGMMA_IMMEDIATES(ta, tb) ";\n\t}"

/// D += A B, or D = A B unless `added`, for 32 bytes of k and WGMMA_N columns; A and B by descriptor. X_FIRST: 1 where
/// k is not the contiguous index (16-bit types only).
template <int X_FIRST_A, int X_FIRST_B, typename Sum>
__device__ __forceinline__ void multiply_tiles(Sum (&d)[WGMMA_N / 2], unsigned long long tile_a,
                                               unsigned long long tile_b, bool added) {
  static_assert(DTYPE_BYTES == 2 || X_FIRST_A + X_FIRST_B == 0, "only 16-bit types are read with x contiguous");
#if DTYPE_INT8
  asm volatile(KERLAB_INPUTS(WGMMA_N, KERLAB_WGMMA)
               : KERLAB_SUMS(WGMMA_N, "r")
               : "l"(tile_a), "l"(tile_b), "r"(static_cast<int>(added)), "n"(X_FIRST_A), "n"(X_FIRST_B));
#else
  asm volatile(KERLAB_INPUTS(WGMMA_N, KERLAB_WGMMA)
               : KERLAB_SUMS(WGMMA_N, "f")
               : "l"(tile_a), "l"(tile_b), "r"(static_cast<int>(added)), "n"(X_FIRST_A), "n"(X_FIRST_B));
#endif
}
#undef KERLAB_WGMMA
