// What the device reaches at best: bandwidths and peaks. With all of the lab's kernels, for a session that measures them;
// by itself so that no other session waits for its compilation.
// Bandwidth kernels move whole 16-byte words; peak kernels do kPeak...PerIteration operations (lab_abi.h) per iteration.

#include "common/lab.cu"

extern "C" __global__ void lab_copy(const BandwidthArguments a) {
  constexpr int kAtOnce = 4;  // loads in flight per thread
  const uint4* source = pointer<uint4>(a.source);
  uint4* target = pointer<uint4>(a.target);
  const i64 count = a.bytes / 16, step = index_step();
  i64 i = first_index();
  for (; i + (kAtOnce - 1) * step < count; i += kAtOnce * step) {
    uint4 words[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) words[j] = source[i + j * step];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) target[i + j * step] = words[j];
  }
  for (; i < count; i += step) target[i] = source[i];
}

extern "C" __global__ void lab_read(const BandwidthArguments a) {
  const uint4* source = pointer<uint4>(a.source);
  uint4 sum = make_uint4(0, 0, 0, 0);
  const i64 count = a.bytes / 16, step = index_step();
  i64 i = first_index();
  for (; i + 3 * step < count; i += 4 * step) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint4 word = source[i + j * step];
      sum.x ^= word.x, sum.y ^= word.y, sum.z ^= word.z, sum.w ^= word.w;
    }
  }
  for (; i < count; i += step) sum.x ^= source[i].x ^ source[i].y ^ source[i].z ^ source[i].w;
  // Never true of the data that the host puts there, but the compiler cannot know.
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x9E3779B9u) pointer<uint4>(a.target)[0] = sum;
}

extern "C" __global__ void lab_write(const BandwidthArguments a) {
  uint4* target = pointer<uint4>(a.target);
  const u32 x = threadIdx.x;
  for (i64 i = first_index(); i < a.bytes / 16; i += index_step()) target[i] = make_uint4(x, x, x, x);
}

namespace {

struct Fp64Step {
  __device__ double operator()(double x, double factor) const { return __fma_rn(x, factor, factor); }
};
struct Fp16x2Step {
  __device__ u32 operator()(u32 x, u32 factor) const {
    u32 y;
    asm volatile("fma.rn.f16x2 %0, %1, %2, %2;" : "=r"(y) : "r"(x), "r"(factor));
    return y;
  }
};

}  // namespace

extern "C" __global__ void lab_fma_fp64(const PeakArguments a) {
  const double x = chains(a.iterations, 1.0 + threadIdx.x, 0.5 + threadIdx.x * 1e-6, Fp64Step{});
  if (x == 12345.678) pointer<double>(a.out)[0] = x;
}

extern "C" __global__ void lab_fma_fp16(const PeakArguments a) {
  const u32 x = chains<u32>(a.iterations, 0x3C003C00u + threadIdx.x, 0x38003800u, Fp16x2Step{});
  if (x == 0x12345678u) pointer<u32>(a.out)[0] = x;
}

// Tensor cores through mma.sync: kMmaChains independent accumulators per warp. Empty below sm_80, where the host does not
// launch them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LAB_MMA_FLOAT(SHAPE_AND_TYPES)                                                                        \
  asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                                                            \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                             \
               : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])                                   \
               : "r"(operand), "r"(operand), "r"(operand), "r"(operand), "r"(operand), "r"(operand))
#define LAB_MMA_INTEGER(SHAPE_AND_TYPES)                                                                      \
  asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                                                            \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                             \
               : "+r"(d[j][0]), "+r"(d[j][1]), "+r"(d[j][2]), "+r"(d[j][3])                                   \
               : "r"(operand), "r"(operand), "r"(operand), "r"(operand), "r"(operand), "r"(operand))
#define LAB_MMA_KERNEL(NAME, ACCUMULATOR, OPERAND, MMA, SHAPE_AND_TYPES)                                      \
  extern "C" __global__ void NAME(const PeakArguments a) {                                                    \
    ACCUMULATOR d[kMmaChains][4] = {};                                                                        \
    const u32 operand = (OPERAND) + threadIdx.x * 0x00010001u;                                                \
    for (i64 i = 0; i < a.iterations; ++i) {                                                                  \
      _Pragma("unroll") for (int j = 0; j < kMmaChains; ++j) { MMA(SHAPE_AND_TYPES); }                        \
    }                                                                                                         \
    ACCUMULATOR sum = 0;                                                                                      \
    _Pragma("unroll") for (int j = 0; j < kMmaChains; ++j) sum += d[j][0] + d[j][1] + d[j][2] + d[j][3];      \
    if (sum == static_cast<ACCUMULATOR>(12345678)) pointer<ACCUMULATOR>(a.out)[0] = sum;                      \
  }
#else
#define LAB_MMA_KERNEL(NAME, ACCUMULATOR, OPERAND, MMA, SHAPE_AND_TYPES) \
  extern "C" __global__ void NAME(const PeakArguments) {}
#endif

LAB_MMA_KERNEL(lab_mma_bf16, float, 0x3C003C00u, LAB_MMA_FLOAT, "m16n8k16.row.col.f32.bf16.bf16.f32")
LAB_MMA_KERNEL(lab_mma_fp16, float, 0x28002800u, LAB_MMA_FLOAT, "m16n8k16.row.col.f32.f16.f16.f32")
LAB_MMA_KERNEL(lab_mma_tf32, float, 0x3C000000u, LAB_MMA_FLOAT, "m16n8k8.row.col.f32.tf32.tf32.f32")
LAB_MMA_KERNEL(lab_mma_int8, int, 0x01010101u, LAB_MMA_INTEGER, "m16n8k32.row.col.s32.s8.s8.s32")
