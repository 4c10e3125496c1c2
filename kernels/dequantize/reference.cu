// What Y should be before its last rounding: code times scale as fp32, which the definition says (family.toml).
// `in_row`: scales of a row, 0 where all rows have one.
#include "common/elementwise/packet.cuh"

#if MX
using Scale = unsigned char;
#else
using Scale = float;
#endif

extern "C" __global__ void reference(const DTYPE* Q, const Scale* S, int N, int group, int in_row, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const Scale s = S[i / N * in_row + i % N / group];
  const float factor = !MX ? static_cast<float>(s) : s == 255 ? float_from_bits(0x7fffffffU) : ldexpf(1.0f, static_cast<int>(s) - 127);
  const float product = to_float(Q[i]) * factor;
  value[place] = product;
  scale[place] = 0;
}
