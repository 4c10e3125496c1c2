// No include guard: each inclusion defines the wgmma of one width, WGMMA_INSTRUCTION_N (a number or a macro of one),
// and undefines that. A width that is there already is left alone. After common/sm90/wgmma.cuh, which says how to use
// it, who must call it and what is fenced. Wraps wgmma.mma_async (PTX ISA, "Asynchronous Multiply-and-Accumulate
// Instruction: wgmma.mma_async"). Needs sm_90a.
#include "common/sm90/wgmma_registers.cuh"

#undef KERLAB_WGMMA_NEW
#if WGMMA_INSTRUCTION_N == 8
#ifndef KERLAB_WGMMA_8
#define KERLAB_WGMMA_8
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 16
#ifndef KERLAB_WGMMA_16
#define KERLAB_WGMMA_16
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 24
#ifndef KERLAB_WGMMA_24
#define KERLAB_WGMMA_24
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 32
#ifndef KERLAB_WGMMA_32
#define KERLAB_WGMMA_32
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 40
#ifndef KERLAB_WGMMA_40
#define KERLAB_WGMMA_40
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 48
#ifndef KERLAB_WGMMA_48
#define KERLAB_WGMMA_48
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 56
#ifndef KERLAB_WGMMA_56
#define KERLAB_WGMMA_56
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 64
#ifndef KERLAB_WGMMA_64
#define KERLAB_WGMMA_64
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 72
#ifndef KERLAB_WGMMA_72
#define KERLAB_WGMMA_72
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 80
#ifndef KERLAB_WGMMA_80
#define KERLAB_WGMMA_80
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 88
#ifndef KERLAB_WGMMA_88
#define KERLAB_WGMMA_88
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 96
#ifndef KERLAB_WGMMA_96
#define KERLAB_WGMMA_96
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 104
#ifndef KERLAB_WGMMA_104
#define KERLAB_WGMMA_104
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 112
#ifndef KERLAB_WGMMA_112
#define KERLAB_WGMMA_112
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 120
#ifndef KERLAB_WGMMA_120
#define KERLAB_WGMMA_120
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 128
#ifndef KERLAB_WGMMA_128
#define KERLAB_WGMMA_128
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 136
#ifndef KERLAB_WGMMA_136
#define KERLAB_WGMMA_136
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 144
#ifndef KERLAB_WGMMA_144
#define KERLAB_WGMMA_144
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 152
#ifndef KERLAB_WGMMA_152
#define KERLAB_WGMMA_152
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 160
#ifndef KERLAB_WGMMA_160
#define KERLAB_WGMMA_160
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 168
#ifndef KERLAB_WGMMA_168
#define KERLAB_WGMMA_168
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 176
#ifndef KERLAB_WGMMA_176
#define KERLAB_WGMMA_176
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 184
#ifndef KERLAB_WGMMA_184
#define KERLAB_WGMMA_184
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 192
#ifndef KERLAB_WGMMA_192
#define KERLAB_WGMMA_192
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 200
#ifndef KERLAB_WGMMA_200
#define KERLAB_WGMMA_200
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 208
#ifndef KERLAB_WGMMA_208
#define KERLAB_WGMMA_208
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 216
#ifndef KERLAB_WGMMA_216
#define KERLAB_WGMMA_216
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 224
#ifndef KERLAB_WGMMA_224
#define KERLAB_WGMMA_224
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 232
#ifndef KERLAB_WGMMA_232
#define KERLAB_WGMMA_232
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 240
#ifndef KERLAB_WGMMA_240
#define KERLAB_WGMMA_240
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 248
#ifndef KERLAB_WGMMA_248
#define KERLAB_WGMMA_248
#define KERLAB_WGMMA_NEW
#endif
#elif WGMMA_INSTRUCTION_N == 256
#ifndef KERLAB_WGMMA_256
#define KERLAB_WGMMA_256
#define KERLAB_WGMMA_NEW
#endif
#else
#error "WGMMA_INSTRUCTION_N is a multiple of 8 from 8 to 256"
#endif

#ifdef KERLAB_WGMMA_NEW
template <>
struct WgmmaInstruction<WGMMA_INSTRUCTION_N> {
  template <typename T, bool MnA, bool MnB>
  static __device__ __forceinline__ void shared(float (&d)[WGMMA_INSTRUCTION_N / 2], unsigned long long a,
                                                unsigned long long b, bool accumulate) {
    if constexpr (kIsSame<T, bf16_t>) KERLAB_WGMMA_SHARED(KERLAB_SHARED_16, "k16.f32.bf16.bf16", "f");
    if constexpr (kIsSame<T, fp16_t>) KERLAB_WGMMA_SHARED(KERLAB_SHARED_16, "k16.f32.f16.f16", "f");
    if constexpr (kIsSame<T, tf32_t>) KERLAB_WGMMA_SHARED(KERLAB_SHARED_FLOAT, "k8.f32.tf32.tf32", "f");
    if constexpr (kIsSame<T, e4m3_t>) KERLAB_WGMMA_SHARED(KERLAB_SHARED_FLOAT, "k32.f32.e4m3.e4m3", "f");
    if constexpr (kIsSame<T, e5m2_t>) KERLAB_WGMMA_SHARED(KERLAB_SHARED_FLOAT, "k32.f32.e5m2.e5m2", "f");
  }
  template <typename T, bool MnA, bool MnB>
  static __device__ __forceinline__ void shared(int (&d)[WGMMA_INSTRUCTION_N / 2], unsigned long long a,
                                                unsigned long long b, bool accumulate) {
    KERLAB_WGMMA_SHARED(KERLAB_SHARED_INT, "k32.s32.s8.s8", "r");
  }
  template <typename T, bool MnB>
  static __device__ __forceinline__ void registers(float (&d)[WGMMA_INSTRUCTION_N / 2], const unsigned (&a)[4],
                                                   unsigned long long b, bool accumulate) {
    if constexpr (kIsSame<T, bf16_t>) KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_16, "k16.f32.bf16.bf16", "f");
    if constexpr (kIsSame<T, fp16_t>) KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_16, "k16.f32.f16.f16", "f");
    if constexpr (kIsSame<T, tf32_t>) KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_FLOAT, "k8.f32.tf32.tf32", "f");
    if constexpr (kIsSame<T, e4m3_t>) KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_FLOAT, "k32.f32.e4m3.e4m3", "f");
    if constexpr (kIsSame<T, e5m2_t>) KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_FLOAT, "k32.f32.e5m2.e5m2", "f");
  }
  template <typename T, bool MnB>
  static __device__ __forceinline__ void registers(int (&d)[WGMMA_INSTRUCTION_N / 2], const unsigned (&a)[4],
                                                   unsigned long long b, bool accumulate) {
    KERLAB_WGMMA_REGISTERS(KERLAB_REGISTERS_INT, "k32.s32.s8.s8", "r");
  }
};
#endif
#undef WGMMA_INSTRUCTION_N
