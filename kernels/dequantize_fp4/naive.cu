// Rung 0, naive: one thread an element.
//
// Idea      the definition. Two neighbouring threads read one byte, and each takes its half.
// Expects   anything; Q and Y may have leading dimensions of their own.
// Lacks     wide accesses: a thread loads one byte and a scale for each element that it stores.
// Measured  not measured
#include "scales.cuh"

extern "C" __global__ void __launch_bounds__(256)
dequantize(const unsigned char* __restrict__ Q, const unsigned char* __restrict__ S, const float* __restrict__ T,
           DTYPE* __restrict__ Y, int M, int N, int in_row, long long pitch_q, long long pitch_y) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  const float whole = NV ? *T : 1.0f;
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    const unsigned code = Q[row * pitch_q + column / 2] >> (column % 2 * 4) & 15U;
    Y[row * pitch_y + column] = from_float<DTYPE>(float_from_e2m1(code) * factor_of(S[row * in_row + column / GROUP], whole));
  }
}
