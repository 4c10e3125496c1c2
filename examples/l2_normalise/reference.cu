// What Y should be: one warp a row, sums in ACC.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(32)
reference(const DTYPE* X, int N, float epsilon, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const DTYPE* x = X + (index == nullptr ? place : index[place]) * N;
    ACC squares = 0;
    for (int i = threadIdx.x; i < N; i += 32) squares += ACC(to_float(x[i])) * to_float(x[i]);
    for (int mask = 16; mask > 0; mask /= 2) squares += __shfl_xor_sync(0xffffffffU, squares, mask);
    const ACC length = sqrt(squares + ACC(epsilon));
    for (int i = threadIdx.x; i < N; i += 32) {
      const ACC y = to_float(x[i]) / length;
      value[place * N + i] = y;
      scale[place * N + i] = (4 + sqrt(ACC(N)) / 4) * (y < 0 ? -y : y);
    }
  }
}
