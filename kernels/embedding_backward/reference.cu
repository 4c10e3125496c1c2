// What dW should be, one warp a row of it: value = sum of dY[t][d] over the tokens of the row, scale = sqrt(sum of squares).
// Place j < count is row index[j], or row j when index is null. Any grid.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(32)
reference(const int* ids, const DTYPE* dY, int T, int D, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    ACC* sum = value + place * D;
    ACC* squares = scale + place * D;
    for (int d = threadIdx.x; d < D; d += 32) sum[d] = squares[d] = 0;
    for (long long t = 0; t < T; ++t) {
      if (ids[t] != row) continue;
      for (int d = threadIdx.x; d < D; d += 32) {
        const ACC number = to_float(dY[t * D + d]);
        sum[d] += number;
        squares[d] += number * number;
      }
    }
    for (int d = threadIdx.x; d < D; d += 32) squares[d] = sqrt(squares[d]);
  }
}
