// Rung 0, naive: one thread computes one row, in two passes.
//
// Idea      the definition: sum of the products, then each element. Neighbouring threads read neighbouring rows, N
//           elements apart, so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in pieces of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
softmax_backward(const DTYPE* __restrict__ Y, const DTYPE* __restrict__ dY, DTYPE* __restrict__ dX, int M, int N,
                 long long pitch_y, long long pitch_dy, long long pitch_dx) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* y = Y + row * pitch_y;
  const DTYPE* dy = dY + row * pitch_dy;
  DTYPE* dx = dX + row * pitch_dx;

  float sum = 0.0f;
  for (int begin = 0; begin < N; begin += 256) {
    float piece = 0.0f;
    const int end = N - begin < 256 ? N : begin + 256;
    for (int i = begin; i < end; ++i) piece += to_float(y[i]) * to_float(dy[i]);
    sum += piece;
  }
  for (int i = 0; i < N; ++i) dx[i] = from_float<DTYPE>(to_float(y[i]) * (to_float(dy[i]) - sum));
}
