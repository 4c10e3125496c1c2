// What dW should be, one block a row of it: value = sum of dY[t][d] over the tokens of the row, scale = sqrt(sum of
// squares). Place j < count is row index[j], or row j when index is null. Any grid.
#include "common/types.cuh"

constexpr int kThreads = 256, kEach = 8;  // numbers of a row that a thread adds up at once

extern "C" __global__ void __launch_bounds__(kThreads)
reference(const int* ids, const DTYPE* dY, int T, int D, const long long* index, long long count, ACC* value, ACC* scale) {
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    for (int first = static_cast<int>(threadIdx.x); first < D + static_cast<int>(threadIdx.x); first += kThreads * kEach) {
      ACC sum[kEach] = {}, squares[kEach] = {};
      for (long long begin = 0; begin < T; begin += 32) {
        const long long own = begin + threadIdx.x % 32;
        unsigned found = __ballot_sync(0xffffffffU, own < T && ids[own] == row);
        for (; found != 0; found &= found - 1) {
          const DTYPE* numbers = dY + (begin + __ffs(static_cast<int>(found)) - 1) * D;
          for (int e = 0; e < kEach; ++e) {
            const int d = first + e * kThreads;
            const ACC number = d < D ? ACC(to_float(numbers[d])) : ACC(0);
            sum[e] += number;
            squares[e] += number * number;
          }
        }
      }
      for (int e = 0; e < kEach; ++e) {
        const int d = first + e * kThreads;
        if (d >= D) continue;
        value[place * D + d] = sum[e];
        scale[place * D + d] = sqrt(squares[e]);
      }
    }
  }
}
