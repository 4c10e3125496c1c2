// What Q, S and T should be, by their definitions (family.toml). Codes by the distances to all eight magnitudes, not by the
// kernels' arithmetic. Quotients and products that are fp32 by definition are those of ACC, rounded.
#include "common/largest.cuh"

__device__ __forceinline__ ACC magnitude(ACC x) { return x < 0 ? -x : x; }
__device__ __forceinline__ ACC larger(ACC a, ACC b) { return a != a || a > b ? a : b; }  // nothing is larger than NaN

__device__ __forceinline__ ACC amax_of(const DTYPE* x, int length) {
  ACC amax = 0;
  for (int i = 0; i < length; ++i) amax = larger(magnitude(to_float(x[i])), amax);
  return amax;
}

/// The largest magnitude of everything, at least 2^-100.
__device__ __forceinline__ ACC size_of_all(const unsigned* largest) {
  return larger(ACC(float_from_bits(*largest)), ACC(7.888609052210118e-31));
}

__device__ __forceinline__ bool is_finite(ACC x) { return magnitude(x) <= ACC(3.4028234e38f); }

/// A group's scale as it is stored, and what its numbers are multiplied by; codes are 0 where `spoilt`.
struct Scaling {
  unsigned char stored;
  float factor;
  bool spoilt;
};
__device__ __forceinline__ Scaling scaling_of(ACC amax, ACC all) {
  if (!NV) {
    if (!is_finite(amax)) return {255, 0, true};
    const int exponent = (amax == 0 ? -200 : ilogb(amax)) - 2;
    const int e = exponent < -127 ? -127 : exponent;
    return {static_cast<unsigned char>(e + 127), static_cast<float>(ldexp(ACC(1), -e)), false};
  }
  const float sixth = static_cast<float>(amax / 6), whole = static_cast<float>(all / 2688);
  const float part = static_cast<float>(ACC(sixth) * ACC(static_cast<float>(ACC(2688) / all)));
  if (part != part) return {0x7f, 0, true};
  const e4m3_t stored = from_float<e4m3_t>(part);
  const float step = static_cast<float>(ACC(to_float(stored)) * ACC(whole));
  const bool none = step < 1.1754944e-38f;  // 2^-126
  return {stored.bits, none ? 0.0f : static_cast<float>(ACC(1) / ACC(step)), none || step != step};
}

/// The nearest magnitude; of two as near the one whose code is even.
__device__ __forceinline__ unsigned code_of(float x) {
  const ACC magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const ACC size = magnitude(x);
  unsigned best = 0;
  for (unsigned code = 1; code < 8; ++code) {
    const ACC farther = magnitude(magnitudes[best] - size), nearer = magnitude(magnitudes[code] - size);
    if (nearer < farther || (nearer == farther && code % 2 == 0)) best = code;
  }
  return best | bits_from_float(x) >> 28 & 8U;
}

extern "C" __global__ void __launch_bounds__(32)
reference_codes(const DTYPE* X, const unsigned* largest, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  const ACC all = NV ? size_of_all(largest) : ACC(1);
  const int in_row = (N + GROUP - 1) / GROUP, width = (N + 1) / 2;
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const DTYPE* x = X + (index == nullptr ? place : index[place]) * N;
    for (int g = threadIdx.x; g < in_row; g += blockDim.x) {
      const int first = g * GROUP, length = N - first < GROUP ? N - first : GROUP;
      const Scaling scaling = scaling_of(amax_of(x + first, length), all);
      for (int i = 0; i < length; i += 2) {
        const unsigned low = scaling.spoilt ? 0 : code_of(to_float(x[first + i]) * scaling.factor);
        const unsigned high = scaling.spoilt || i + 1 == length ? 0 : code_of(to_float(x[first + i + 1]) * scaling.factor);
        value[place * width + (first + i) / 2] = ACC(low + 16 * high);
        scale[place * width + (first + i) / 2] = 0;
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(32)
reference_scales(const DTYPE* X, const unsigned* largest, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  const ACC all = NV ? size_of_all(largest) : ACC(1);
  const int in_row = (N + GROUP - 1) / GROUP;
  for (long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < count;
       place += static_cast<long long>(gridDim.x) * blockDim.x) {
    const long long i = index == nullptr ? place : index[place];
    const int first = static_cast<int>(i % in_row) * GROUP;
    const int length = N - first < GROUP ? N - first : GROUP;
    value[place] = ACC(scaling_of(amax_of(X + i / in_row * N + first, length), all).stored);
    scale[place] = 0;
  }
}

extern "C" __global__ void __launch_bounds__(32)
reference_whole(const unsigned* largest, long long count, ACC* value, ACC* scale) {
  const ACC all = NV ? size_of_all(largest) : ACC(2688);
  if (threadIdx.x != 0 || count < 1) return;
  value[0] = static_cast<float>(all / 2688);
  scale[0] = 0;
}
