#pragma once
// wgmma: tensor cores of sm_90a, a warpgroup (128 threads) at a time. Wraps wgmma.fence, .mma_async, .commit_group and
// .wait_group (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"). All 128 threads call
// everything here together. D (64 x N, registers) += A (64 x 32 bytes of k) B (32 bytes of k x N); B, and A unless it
// comes from registers, are read from shared memory (smem_tile.cuh) by the tensor cores themselves, while the threads
// go on.
//
// How to use it: include it, and say before wgmma_instruction.cuh which N there are, one include for each:
//   #include "common/sm90/wgmma.cuh"
//   #define WGMMA_INSTRUCTION_N 128
//   #include "common/sm90/wgmma_instruction.cuh"
// An N costs the parser 2 ms, all 32 of them would cost as much as the rest of a kernel.
//
//   wgmma_fence();                                            // before the first, and after registers were touched
//   Wgmma<bf16_t, 128, Major::K, Major::MN>::mma(accumulators, a, b, accumulate);  // any number, not awaited
//   wgmma_commit();
//   wgmma_wait<0>();                                          // then registers may be read, shared memory overwritten
// Which element of D a register is: accumulator.cuh.
#include "common/sm90/smem_tile.cuh"
#include "common/types.cuh"

enum class ASource { Shared, Registers };

template <typename T>
struct WgmmaAccumulator {
  using Type = float;
};
template <>
struct WgmmaAccumulator<int8_t> {
  using Type = int;
};

template <typename T, typename U>
constexpr bool kIsSame = false;
template <typename T>
constexpr bool kIsSame<T, T> = true;

/// The instruction of width N: specialised by wgmma_instruction.cuh.
template <int N>
struct WgmmaInstruction;

/// T: bf16_t, fp16_t (operands in either major order), tf32_t, e4m3_t, e5m2_t, int8_t (k contiguous). N: a multiple of
/// 8 up to 256 (int8: 8, 24 and the multiples of 16).
template <typename T, int N, Major MajorA, Major MajorB, ASource Source = ASource::Shared>
struct Wgmma {
  using Accumulator = typename WgmmaAccumulator<T>::Type;
  static constexpr int kN = N;
  static constexpr int kK = 32 / static_cast<int>(sizeof(T));  // of one instruction
  static constexpr int kAccumulators = N / 2;                  // of a thread
  static_assert(sizeof(T) == 2 || (MajorA == Major::K && MajorB == Major::K),
                "only 16-bit types are read with x contiguous");
  static_assert(Source == ASource::Shared || MajorA == Major::K, "registers hold A along k");

  /// D += A B, or D = A B unless `accumulate`. Descriptors: SmemTile::describe.
  static __device__ __forceinline__ void mma(Accumulator (&d)[N / 2], unsigned long long a, unsigned long long b,
                                             bool accumulate) {
    static_assert(Source == ASource::Shared);
    WgmmaInstruction<N>::template shared<T, MajorA == Major::MN, MajorB == Major::MN>(d, a, b, accumulate);
  }
  /// A from four registers of each thread, laid out as mma.m16n8k16 wants it, warp w having rows 16 w .. 16 w + 15.
  /// They may be overwritten after the wait only.
  static __device__ __forceinline__ void mma(Accumulator (&d)[N / 2], const unsigned (&a)[4], unsigned long long b,
                                             bool accumulate) {
    static_assert(Source == ASource::Registers);
    WgmmaInstruction<N>::template registers<T, MajorB == Major::MN>(d, a, b, accumulate);
  }
};

/// Before the first wgmma of a group, and after registers of D or A were touched.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most Pending groups are unfinished; then D may be read, and the tiles overwritten.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// After the wait, where accumulators are then read in another order than they were computed: keeps the compiler from
/// reading them before (ptxas then serialises the products, C7514).
template <int Count>
__device__ __forceinline__ void wgmma_settle(float (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
template <int Count>
__device__ __forceinline__ void wgmma_settle(int (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}
