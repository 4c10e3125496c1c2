// What Y should be before its last rounding: code times scale as fp32, which the definition says (family.toml).
#include "common/types.cuh"

__device__ __forceinline__ float factor_of(unsigned char scale, const float* T) {
  if (NV) return static_cast<float>(ACC(to_float(e4m3_t{scale})) * ACC(*T));
  return scale == 255 ? float_from_bits(0x7fffffffU) : ldexpf(1.0f, static_cast<int>(scale) - 127);
}

extern "C" __global__ void reference(const unsigned char* Q, const unsigned char* S, const float* T, int N,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const long long row = i / N, column = i % N;
  const unsigned code = Q[row * ((N + 1) / 2) + column / 2] >> (column % 2 * 4) & 15U;
  const float size = magnitudes[code % 8];
  const float product = (code >= 8 ? -size : size) * factor_of(S[row * ((N + GROUP - 1) / GROUP) + column / GROUP], T);
  value[place] = product;
  scale[place] = 0;
}
