// What Y should be before its last rounding: code times scale as fp32, which the definition says (family.toml).
#include "common/elementwise/packet.cuh"

extern "C" __global__ void reference(const DTYPE* Q, const float* S, int N, int group, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const int in_row = (N + group - 1) / group;
  const float product = to_float(Q[i]) * S[i / N * in_row + i % N / group];
  value[place] = product;
  scale[place] = 0;
}
