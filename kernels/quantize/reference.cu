// What Q and S should be, by their definitions (family.toml), one warp a row or a group; the largest magnitude of a
// tensor is found before. The factor and its product are fp32 by definition: an fp32 quotient of fp32 numbers is the
// one of ACC, rounded.
#include "common/largest.cuh"

constexpr ACC kLargest = OUT == 0 ? 127 : OUT == 1 ? 448 : 57344;

/// The largest magnitude of x[0 .. length - 1], over the block; NaN if there is one. Every thread gets it.
__device__ __forceinline__ ACC amax_of(const DTYPE* x, long long length) {
  __shared__ ACC sizes[32];
  ACC amax = 0;
  for (long long i = threadIdx.x; i < length; i += blockDim.x) {
    const ACC value = to_float(x[i]);
    const ACC size = value < 0 ? -value : value;
    if (size != size || size > amax) amax = size;  // nothing is larger than NaN
  }
  __syncthreads();  // an earlier result may still be read
  sizes[threadIdx.x] = amax;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    const ACC other = sizes[threadIdx.x + half], own = sizes[threadIdx.x];
    if (other != other || other > own) sizes[threadIdx.x] = other;
  }
  __syncthreads();
  return sizes[0];
}

/// amax, which counts as at least 2^-100 where scales are fp32.
__device__ __forceinline__ ACC size_of(ACC amax) {
  const ACC least = 7.888609052210118e-31;  // 2^-100
  return amax < least ? least : amax;
}

/// Of mx: floor(log2(amax)) less that of the largest code, at least -127.
__device__ __forceinline__ int exponent_of(ACC amax) {
  const int e = (amax == 0 ? -200 : ilogb(amax)) - (OUT == 1 ? 8 : 15);
  return e < -127 ? -127 : e;
}
__device__ __forceinline__ bool is_finite(ACC amax) {
  return amax <= ACC(3.4028234e38f);
}

/// What numbers of a group are multiplied by.
__device__ __forceinline__ float factor_of(ACC amax) {
  if (!MX) return static_cast<float>(kLargest / size_of(amax));
  return is_finite(amax) ? static_cast<float>(ldexp(ACC(1), -exponent_of(amax))) : float_from_bits(0x7fffffffU);
}

__device__ __forceinline__ ACC code_of(float scaled) {
  if (OUT == 0 && scaled != scaled) return 0;  // int8 has no NaN
  const ACC code = scaled;
  return code > kLargest ? kLargest : code < -kLargest ? -kLargest : code;
}

/// `of_tensor`: one scale, of `largest`.
extern "C" __global__ void __launch_bounds__(32)
    reference_codes(const DTYPE* X, int of_tensor, const unsigned* largest, int N, int group, const long long* index,
                    long long count, ACC* value, ACC* scale) {
  float factor = of_tensor ? factor_of(ACC(float_from_bits(*largest))) : 0.0f;
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const DTYPE* x = X + (index == nullptr ? place : index[place]) * N;
    for (int first = 0; first < N; first += group) {
      const int length = N - first < group ? N - first : group;
      if (!of_tensor) factor = factor_of(amax_of(x + first, length));
      for (int i = first + threadIdx.x; i < first + length; i += blockDim.x) {
        value[place * N + i] = code_of(to_float(x[i]) * factor);
        scale[place * N + i] = 0;
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(32)
    reference_scales(const DTYPE* X, int of_tensor, const unsigned* largest, int N, int group, const long long* index,
                     long long count, ACC* value, ACC* scale) {
  const int in_row = (N + group - 1) / group;
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long i = index == nullptr ? place : index[place];
    const int first = static_cast<int>(i % in_row) * group;
    const int length = N - first < group ? N - first : group;
    const ACC amax = of_tensor ? ACC(float_from_bits(*largest)) : amax_of(X + i / in_row * N + first, length);
    if (threadIdx.x != 0) continue;
    value[place] = !MX ? size_of(amax) / kLargest : is_finite(amax) ? ACC(exponent_of(amax) + 127) : ACC(255);
    scale[place] = 0;
  }
}
