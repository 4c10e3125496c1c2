// The lab's own kernels: make inputs, compare results, watch guards, hold the stream, read clocks.
// Every kernel takes one struct of lab_abi.h by value and works for any launch shape unless it says otherwise.

#include "common/canary.h"
#include "common/lab_abi.h"
#include "common/number.h"
#include "common/recipe.h"
#include "common/rounding.h"
#include "common/tolerance.h"

using namespace kerlab::lab;

namespace {

template <typename T> __device__ T* pointer(u64 address) { return reinterpret_cast<T*>(address); }
__device__ i64 first_index() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ i64 index_step() { return static_cast<i64>(gridDim.x) * blockDim.x; }

// An element of 1, 2, 4 or 8 bytes, or of half a byte. The choice is made at each access: a kernel for every width would
// be four times as much to compile, and every first session waits for it.
__device__ u64 load_bits(u64 base, const Format& f, i64 i) {
  switch (f.bytes) {
    case 1: return bits_of_element(f, pointer<unsigned char>(base)[f.per_byte == 1 ? i : i / 2], static_cast<u64>(i));
    case 2: return pointer<unsigned short>(base)[i];
    case 4: return pointer<u32>(base)[i];
    default: return pointer<u64>(base)[i];
  }
}
__device__ void store_bits(u64 base, int bytes, i64 i, u64 bits) {
  switch (bytes) {
    case 1: pointer<unsigned char>(base)[i] = static_cast<unsigned char>(bits); break;
    case 2: pointer<unsigned short>(base)[i] = static_cast<unsigned short>(bits); break;
    case 4: pointer<u32>(base)[i] = static_cast<u32>(bits); break;
    default: pointer<u64>(base)[i] = bits; break;
  }
}

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

/// The offsets of a partition, by one block: a thread adds up its share of the parts, then writes where each begins.
/// Element by element each would be the sum of all parts before it: a million offsets took minutes.
__device__ void fill_partition(const FillArguments& a, const Format& f, u64 key) {
  __shared__ Part shares[1024];
  const u64 parts = static_cast<u64>(a.count) - 1, total = static_cast<u64>(a.parameter0), threads = blockDim.x;
  const u64 share = (parts + threads - 1) / threads, first = threadIdx.x * share;
  const u64 end = first + share < parts ? first + share : parts;
  const auto sum = [](const Part& x, const Part& y) { return Part{x.least + y.least, x.weight + y.weight}; };
  Part own{0, 0}, before{0, 0}, all{0, 0};
  for (u64 p = first; p < end; ++p) own = sum(own, part_of(key, p, a.pattern));
  shares[threadIdx.x] = own;
  __syncthreads();
  for (u64 t = 0; t < threads; ++t) {
    if (t == threadIdx.x) before = all;
    all = sum(all, shares[t]);
  }
  const auto store = [&](u64 p, i64 begin) {
    store_bits(a.out, f.bytes, static_cast<i64>(p), encode_value(f, signed_value(begin, 0)));
  };
  for (u64 p = first; p < end; ++p) {
    store(p, part_begin(key, before, all, parts, total));
    before = sum(before, part_of(key, p, a.pattern));
  }
  if (threadIdx.x == 0) store(parts, static_cast<i64>(total));
}

}  // namespace

extern "C" __global__ void lab_fill(const FillArguments a) {
  const Format f = format_of(a.dtype);
  const u64 key = stream_key(a.seed, a.tensor);
  if (a.recipe == kPartition) {
    if (blockIdx.x == 0) fill_partition(a, f, key);
    return;
  }
  const u64 constant = encode(f, a.parameter0);
#pragma unroll 1
  for (i64 i = first_index(); i * f.per_byte < a.count; i += index_step()) {
    u64 bits = 0;
#pragma unroll 1
    for (int j = 0; j < f.per_byte; ++j)  // those that share a byte
      bits |= element_bits(f, a, key, constant, static_cast<u64>(i * f.per_byte + j)) << (4 * j);
    store_bits(a.out, f.bytes, i, bits);
  }
}

// ---- comparison ------------------------------------------------------------------------------------------------------

namespace {

__device__ u32 report_lock = 0;

/// What one thread, warp or block has seen.
struct Tally {
  u64 mismatches = 0, nans = 0, expected_nans = 0;
  double sum_square = 0;
  u64 worst_key = 0;  // ratio as float bits above the complement of the index: the first of the worst wins
  i64 worst_index = 0;
  RoundingSums rounding = {};
};

__device__ void combine(Tally& tally) {
  tally.mismatches = warp_sum(tally.mismatches);
  tally.nans = warp_sum(tally.nans);
  tally.expected_nans = warp_sum(tally.expected_nans);
  tally.sum_square = warp_sum(tally.sum_square);
  RoundingSums& r = tally.rounding;
  r = {warp_sum(r.elements), warp_sum(r.beyond), warp_sum(r.outward), warp_sum(r.spread),
       warp_sum(r.square),   warp_sum(r.ideal),  warp_sum(r.allowed)};
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
  tally.expected_nans += value != value ? 1 : 0;
  if (!is_infinite(verdict.ratio)) tally.sum_square += verdict.ratio * verdict.ratio;
  const u64 key = worst_key(verdict.ratio, i);
  if (key > tally.worst_key) {
    tally.worst_key = key;
    tally.worst_index = i;
  }
  if (a.rounding != 0) add_rounding(tally.rounding, f, decode(f, bits), value, verdict.tolerance);
}

/// Every element, kAtOnce loads in flight per thread.
__device__ Tally compare(const CompareArguments& a, const Format& f) {
  constexpr int kAtOnce = 4;
  const i64 step = index_step();
  Tally tally;
#pragma unroll 1
  for (i64 first = first_index(); first < a.count; first += kAtOnce * step) {
    u64 bits[kAtOnce];
    double value[kAtOnce], scale[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      const i64 i = first + j * step < a.count ? first + j * step : first;
      bits[j] = load_bits(a.got, f, i);
      value[j] = reference_at(a, a.value, i);
      scale[j] = reference_at(a, a.scale, i);
    }
    // The first of them four times, the others moving up: the code of the verdict is there once.
#pragma unroll 1
    for (i64 i = first; i < first + kAtOnce * step && i < a.count; i += step) {
      see(tally, a, f, i, bits[0], value[0], scale[0]);
#pragma unroll
      for (int j = 1; j < kAtOnce; ++j) {
        bits[j - 1] = bits[j];
        value[j - 1] = value[j];
        scale[j - 1] = scale[j];
      }
    }
  }
  return tally;
}

/// One thread of a block: writes the block's worst element if it beats what is there.
__device__ void publish_worst(const CompareArguments& a, const Format& f, const Tally& tally) {
  volatile CompareReport* report = pointer<CompareReport>(a.report);
  if (tally.worst_key <= report->worst_key) return;
  while (atomicCAS(&report_lock, 0u, 1u) != 0u) {}
  __threadfence();
  if (tally.worst_key > report->worst_key) {
    const i64 i = tally.worst_index;
    const u64 bits = load_bits(a.got, f, i);
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
  if (tally.expected_nans != 0) atomicAdd(&report->expected_nans, tally.expected_nans);
  if (tally.sum_square != 0) atomicAdd(&report->sum_square_ratio, tally.sum_square);
  if (tally.rounding.elements != 0) {
    atomicAdd(&report->rounding.elements, tally.rounding.elements);
    atomicAdd(&report->rounding.beyond, tally.rounding.beyond);
    atomicAdd(&report->rounding.outward, tally.rounding.outward);
    atomicAdd(&report->rounding.spread, tally.rounding.spread);
    atomicAdd(&report->rounding.square, tally.rounding.square);
    atomicAdd(&report->rounding.ideal, tally.rounding.ideal);
    atomicAdd(&report->rounding.allowed, tally.rounding.allowed);
  }
  if (blockIdx.x == 0) report->compared = static_cast<u64>(a.count);
  publish_worst(a, f, tally);
}

}  // namespace

// Blocks of a multiple of 32 threads.
extern "C" __global__ void lab_compare(const CompareArguments a) {
  const Format f = format_of(a.dtype);
  publish(a, f, compare(a, f));
}

// One warp per row, blocks of a multiple of 32 threads.
extern "C" __global__ void lab_row_sums(const RowSumArguments a) {
  const Format f = format_of(a.dtype);
  CompareArguments rule = {};
  rule.value = a.value;
  rule.scale = a.scale;
  rule.acc_is_float = a.acc_is_float;
  rule.value_factor = a.value_factor;
  rule.scale_factor = a.scale_factor;
  rule.absolute = a.absolute;
  RowSumReport* report = pointer<RowSumReport>(a.report);
  const i64 lane = threadIdx.x % 32;
#pragma unroll 1
  for (i64 row = first_index() / 32; row < a.rows; row += index_step() / 32) {
    RowSum found = {};
#pragma unroll 1
    for (i64 i = row * a.columns + lane; i < (row + 1) * a.columns; i += 32) {
      const double value = reference_at(rule, a.value, i);
      const double tolerance = tolerance_at(f, value, reference_at(rule, a.scale, i), rule);
      add_to_row(found, f, decode(f, load_bits(a.got, f, i)), value, tolerance);
    }
    found = {warp_sum(found.sum), warp_sum(found.above), warp_sum(found.below)};
    if (lane != 0) continue;
    const double error = row_error(found, a.target);
    if (error <= 1) continue;
    atomicAdd(&report->wrong, u64{1});
    atomicMax(&report->worst_key, worst_key(error, row));
  }
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

extern "C" __global__ void lab_repitch(const RepitchArguments a) {
  for (i64 i = first_index(); i < a.rows * a.row_bytes; i += index_step()) {
    const i64 row = i / a.row_bytes, at = i % a.row_bytes;
    pointer<unsigned char>(a.to)[row * a.to_pitch + at] = pointer<unsigned char>(a.from)[row * a.from_pitch + at];
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

// ---- clocks under load ------------------------------------------------------------------------------------------------

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

}  // namespace

extern "C" __global__ void lab_fma_fp32(const PeakArguments a) {
  const float x = chains(a.iterations, 1.0f + threadIdx.x, 0.5f + threadIdx.x * 1e-6f, Fp32Step{});
  if (x == 12345.678f) pointer<float>(a.out)[0] = x;
}
