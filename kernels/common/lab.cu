// The lab's own kernels: make inputs, compare results, watch guards, hold the stream, read clocks, measure ceilings.
// Every kernel takes one struct of lab_abi.h by value and works for any launch shape unless it says otherwise.

#include "common/canary.h"
#include "common/lab_abi.h"
#include "common/number.h"
#include "common/recipe.h"
#include "common/tolerance.h"

using namespace kerlab::lab;

namespace {

template <typename T> __device__ T* pointer(u64 address) { return reinterpret_cast<T*>(address); }
__device__ i64 first_index() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ i64 index_step() { return static_cast<i64>(gridDim.x) * blockDim.x; }

__device__ u64 warp_sum(u64 x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xFFFFFFFFu, x, offset);
  return x;
}
__device__ double warp_sum(double x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_down_sync(0xFFFFFFFFu, x, offset);
  return x;
}

}  // namespace

// ---- inputs ----------------------------------------------------------------------------------------------------------

namespace {
template <typename Word> __device__ void fill(const FillArguments& a, const Format& f) {
  Word* out = pointer<Word>(a.out);
  const u64 key = stream_key(a.seed, a.tensor);
  const u64 constant = encode(f, a.parameter0);
  for (i64 i = first_index(); i < a.count; i += index_step()) {
    out[i] = static_cast<Word>(element_bits(f, a, key, constant, static_cast<u64>(i)));
  }
}
}  // namespace

extern "C" __global__ void lab_fill(const FillArguments a) {
  const Format f = format_of(a.dtype);
  switch (f.bytes) {
    case 1: return fill<unsigned char>(a, f);
    case 2: return fill<unsigned short>(a, f);
    case 4: return fill<u32>(a, f);
    default: return fill<u64>(a, f);
  }
}

// ---- comparison ------------------------------------------------------------------------------------------------------

namespace {

__device__ u32 report_lock = 0;

/// What one thread, warp or block has seen.
struct Tally {
  u64 mismatches = 0, nans = 0;
  double sum_square = 0;
  u64 worst_key = 0;  // ratio as float bits above the complement of the index: the first of the worst wins
  i64 worst_index = 0;
};

__device__ u64 worst_key(double ratio, i64 index) {
  return (static_cast<u64>(__float_as_uint(static_cast<float>(ratio))) << 32) | (~static_cast<u32>(index));
}

__device__ void combine(Tally& tally) {
  tally.mismatches = warp_sum(tally.mismatches);
  tally.nans = warp_sum(tally.nans);
  tally.sum_square = warp_sum(tally.sum_square);
  for (int offset = 16; offset > 0; offset /= 2) {
    const u64 key = __shfl_down_sync(0xFFFFFFFFu, tally.worst_key, offset);
    const i64 index = __shfl_down_sync(0xFFFFFFFFu, tally.worst_index, offset);
    if (key > tally.worst_key) {
      tally.worst_key = key;
      tally.worst_index = index;
    }
  }
}

__device__ double reference_at(const CompareArguments& a, u64 base, i64 i) {
  return a.acc_is_float != 0 ? static_cast<double>(pointer<float>(base)[i]) : pointer<double>(base)[i];
}

__device__ void see(Tally& tally, const CompareArguments& a, const Format& f, i64 i, u64 bits, double value, double scale) {
  const Verdict verdict = judge(f, bits, value, scale, a);
  tally.mismatches += verdict.passed ? 0 : 1;
  tally.nans += verdict.nan ? 1 : 0;
  if (!is_infinite(verdict.ratio)) tally.sum_square += verdict.ratio * verdict.ratio;
  const u64 key = worst_key(verdict.ratio, i);
  if (key > tally.worst_key) {
    tally.worst_key = key;
    tally.worst_index = i;
  }
}

/// Every element, kAtOnce loads in flight per thread.
template <typename Word> __device__ Tally compare(const CompareArguments& a, const Format& f) {
  constexpr int kAtOnce = 4;
  const Word* got = pointer<Word>(a.got);
  const i64 step = index_step();
  Tally tally;
  for (i64 first = first_index(); first < a.count; first += kAtOnce * step) {
    u64 bits[kAtOnce];
    double value[kAtOnce], scale[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const i64 i = first + j * step < a.count ? first + j * step : first;
      bits[j] = got[i];
      value[j] = reference_at(a, a.value, i);
      scale[j] = reference_at(a, a.scale, i);
    }
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      if (first + j * step < a.count) see(tally, a, f, first + j * step, bits[j], value[j], scale[j]);
    }
  }
  return tally;
}

__device__ Tally compare_any(const CompareArguments& a, const Format& f) {
  switch (f.bytes) {
    case 1: return compare<unsigned char>(a, f);
    case 2: return compare<unsigned short>(a, f);
    case 4: return compare<u32>(a, f);
    default: return compare<u64>(a, f);
  }
}

__device__ u64 bits_at(const CompareArguments& a, const Format& f, i64 i) {
  u64 bits = 0;
  for (int byte = f.bytes - 1; byte >= 0; --byte) bits = (bits << 8) | pointer<unsigned char>(a.got)[i * f.bytes + byte];
  return bits;
}

/// One thread of a block: writes the block's worst element if it beats what is there.
__device__ void publish_worst(const CompareArguments& a, const Format& f, const Tally& tally) {
  volatile CompareReport* report = pointer<CompareReport>(a.report);
  if (tally.worst_key <= report->worst_key) return;
  while (atomicCAS(&report_lock, 0u, 1u) != 0u) {}
  __threadfence();
  if (tally.worst_key > report->worst_key) {
    const i64 i = tally.worst_index;
    const u64 bits = bits_at(a, f, i);
    const double value = reference_at(a, a.value, i);
    const Verdict verdict = judge(f, bits, value, reference_at(a, a.scale, i), a);
    report->worst_key = tally.worst_key;
    report->worst_index = i + 1;
    report->worst_got = decode(f, bits);
    report->worst_expected = value;
    report->worst_tolerance = verdict.tolerance;
    report->max_ratio = verdict.ratio;
  }
  __threadfence();
  atomicExch(&report_lock, 0u);
}

__device__ void publish(const CompareArguments& a, const Format& f, Tally tally) {
  __shared__ Tally warps[32];
  combine(tally);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = tally;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  tally = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : Tally{};
  combine(tally);
  if (threadIdx.x != 0) return;
  CompareReport* report = pointer<CompareReport>(a.report);
  if (tally.mismatches != 0) atomicAdd(&report->mismatches, tally.mismatches);
  if (tally.nans != 0) atomicAdd(&report->nans, tally.nans);
  if (tally.sum_square != 0) atomicAdd(&report->sum_square_ratio, tally.sum_square);
  if (blockIdx.x == 0) report->compared = static_cast<u64>(a.count);
  publish_worst(a, f, tally);
}

}  // namespace

// Blocks of a multiple of 32 threads.
extern "C" __global__ void lab_compare(const CompareArguments a) {
  const Format f = format_of(a.dtype);
  publish(a, f, compare_any(a, f));
}

// ---- guards, hashes, cache -------------------------------------------------------------------------------------------

extern "C" __global__ void lab_guard_scan(const GuardArguments a) {
  const u32* words = pointer<u32>(a.begin);
  GuardReport* report = pointer<GuardReport>(a.report) + a.slot;
  for (i64 i = first_index(); i < a.words; i += index_step()) {
    if (words[i] == a.pattern) continue;
    atomicAdd(&report->damaged, u64{1});
    const u64 mine = static_cast<u64>(i) + 1;
    u64 seen = report->first;
    while (seen == 0 || mine < seen) {
      const u64 before = atomicCAS(&report->first, seen, mine);
      if (before == seen) break;
      seen = before;
    }
  }
}

extern "C" __global__ void lab_hash(const HashArguments a) {
  const u32* words = pointer<u32>(a.data);
  const i64 count = a.bytes / 4;
  u64 sum = 0;
  for (i64 i = first_index(); i < count; i += index_step()) sum += mix((static_cast<u64>(i) << 32) ^ words[i] ^ kGolden);
  if (first_index() == 0) {
    const unsigned char* bytes = pointer<unsigned char>(a.data);
    for (i64 i = count * 4; i < a.bytes; ++i) sum += mix((static_cast<u64>(i) << 8) ^ bytes[i]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(pointer<u64>(a.report) + a.slot, sum);
}

extern "C" __global__ void lab_flush(const FlushArguments a) {
  u32* words = pointer<u32>(a.data);
  for (i64 i = first_index(); i < a.words; i += index_step()) words[i] += 1;
}

// ---- stream and clocks -----------------------------------------------------------------------------------------------

namespace {
__device__ u64 global_nanoseconds() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
}  // namespace

// One thread.
extern "C" __global__ void lab_blocker(const BlockerArguments a) {
  const volatile u32* flag = pointer<u32>(a.flag);
  const u64 start = global_nanoseconds();
  while (*flag == 0 && global_nanoseconds() - start < a.timeout_ns) {}
}

// One thread per block, at least as many blocks as there are SMs: the one that lands on SM 0 answers.
extern "C" __global__ void lab_clock(const ClockArguments a) {
  u32 sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm != 0 || threadIdx.x != 0) return;
  u64* out = pointer<u64>(a.out);
  out[0] = static_cast<u64>(clock64());
  out[1] = global_nanoseconds();
}

// Blocks of kCanaryBlock threads; count is a multiple of it.
extern "C" __global__ void lab_canary(const CanaryArguments a) {
  __shared__ float exchange[kCanaryBlock];
  for (i64 base = static_cast<i64>(blockIdx.x) * kCanaryBlock; base < a.count;
       base += static_cast<i64>(gridDim.x) * kCanaryBlock) {
    const i64 i = base + threadIdx.x;
    exchange[threadIdx.x] = __fmaf_rn(static_cast<float>(i & 0xFFFF), 3.0f, 1.0f);
    __syncthreads();
    const float via_shared = exchange[threadIdx.x ^ kCanaryShared];
    const float via_shuffle = __shfl_xor_sync(0xFFFFFFFFu, via_shared, kCanaryShuffle);
    pointer<u32>(a.out)[i] = canary_finish(i, via_shared, via_shuffle);
    __syncthreads();
  }
}

// ---- ceilings --------------------------------------------------------------------------------------------------------
// Bandwidth kernels move whole 16-byte words; peak kernels do kPeak...PerIteration operations (lab_abi.h) per iteration.

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

/// kFmaChains independent multiply-add chains per thread; `fma` is one step of a chain.
template <typename T, typename Step> __device__ T chains(i64 iterations, T start, T factor, Step step) {
  T x[kFmaChains];
#pragma unroll
  for (int j = 0; j < kFmaChains; ++j) x[j] = start + static_cast<T>(j);  // all different: none may be merged
  for (i64 i = 0; i < iterations; ++i) {
#pragma unroll
    for (int repeat = 0; repeat < kFmaSteps; ++repeat) {
#pragma unroll
      for (int j = 0; j < kFmaChains; ++j) x[j] = step(x[j], factor);
    }
  }
#pragma unroll
  for (int j = 1; j < kFmaChains; ++j) x[0] = step(x[0], x[j]);
  return x[0];
}

struct Fp32Step {
  __device__ float operator()(float x, float factor) const { return __fmaf_rn(x, factor, factor); }
};
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

extern "C" __global__ void lab_fma_fp32(const PeakArguments a) {
  const float x = chains(a.iterations, 1.0f + threadIdx.x, 0.5f + threadIdx.x * 1e-6f, Fp32Step{});
  if (x == 12345.678f) pointer<float>(a.out)[0] = x;
}

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
