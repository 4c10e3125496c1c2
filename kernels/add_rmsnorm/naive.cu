// Rung 0, naive: one thread computes one row, in two passes.
//
// Idea      the definition: add and write back, mean of the squares, division. Neighbouring threads read neighbouring rows,
//           N elements apart, so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in parts of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
add_rmsnorm(const DTYPE* __restrict__ X, DTYPE* __restrict__ R, const DTYPE* __restrict__ G, DTYPE* __restrict__ Y, int M,
            int N, float epsilon, long long pitch_x, long long pitch_r, long long pitch_y) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* x = X + row * pitch_x;
  DTYPE* r = R + row * pitch_r;
  DTYPE* y = Y + row * pitch_y;
  float squares = 0.0f;
  for (int begin = 0; begin < N; begin += 256) {
    float part = 0.0f;
    const int end = N - begin < 256 ? N : begin + 256;
    for (int i = begin; i < end; ++i) {
      r[i] = from_float<DTYPE>(to_float(r[i]) + to_float(x[i]));
      part += to_float(r[i]) * to_float(r[i]);
    }
    squares += part;
  }
  const float factor = 1.0f / sqrtf(squares / N + epsilon);
  for (int i = 0; i < N; ++i) y[i] = from_float<DTYPE>(to_float(r[i]) * factor * to_float(G[i]));
}
