// What Q and S should be, by their definitions (family.toml), one warp a row or a group. The factor and its product are
// fp32 by definition: an fp32 quotient of fp32 numbers is the one of ACC, rounded.
#include "common/types.cuh"

constexpr ACC kLargest = OUT == 0 ? 127 : OUT == 1 ? 448 : 57344;

/// The largest magnitude of x[0 .. length - 1], by the definition at least 2^-100; NaN if there is one.
__device__ __forceinline__ ACC amax_of(const DTYPE* x, int length) {
  ACC amax = ACC(7.888609052210118e-31);  // 2^-100
  int nan = 0;
  for (int i = threadIdx.x; i < length; i += 32) {
    const ACC value = to_float(x[i]);
    const ACC size = value < 0 ? -value : value;
    if (size != size) nan = 1;
    else if (size > amax) amax = size;
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    const ACC other = __shfl_xor_sync(0xffffffffU, amax, mask);
    nan |= __shfl_xor_sync(0xffffffffU, nan, mask);
    if (other > amax) amax = other;
  }
  return nan != 0 ? ACC(float_from_bits(0x7fffffffU)) : amax;
}

extern "C" __global__ void __launch_bounds__(32)
reference_codes(const DTYPE* X, int N, int group, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const DTYPE* x = X + (index == nullptr ? place : index[place]) * N;
    for (int first = 0; first < N; first += group) {
      const int length = N - first < group ? N - first : group;
      const float factor = static_cast<float>(kLargest / amax_of(x + first, length));
      for (int i = first + threadIdx.x; i < first + length; i += 32) {
        const float code = to_float(x[i]) * factor;
        value[place * N + i] = OUT == 0 && code != code ? ACC(0) : ACC(code);  // int8 has no NaN
        scale[place * N + i] = 0;
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(32)
reference_scales(const DTYPE* X, int N, int group, const long long* index, long long count, ACC* value, ACC* scale) {
  const int in_row = (N + group - 1) / group;
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long i = index == nullptr ? place : index[place];
    const int first = static_cast<int>(i % in_row) * group;
    const ACC amax = amax_of(X + i / in_row * N + first, N - first < group ? N - first : group);
    if (threadIdx.x != 0) continue;
    value[place] = amax / kLargest;
    scale[place] = 0;
  }
}
