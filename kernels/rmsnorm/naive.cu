// Rung 0, naive: one thread computes one row, in two passes.
//
// Idea      the definition: mean of the squares, division. Neighbouring threads read neighbouring rows, N elements apart,
//           so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in parts of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
rmsnorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, DTYPE* __restrict__ Y, int M, int N, float epsilon) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* x = X + row * N;
  float squares = 0.0f;
  for (int begin = 0; begin < N; begin += 256) {
    float part = 0.0f;
    const int end = begin + 256 < N ? begin + 256 : N;
    for (int i = begin; i < end; ++i) part += to_float(x[i]) * to_float(x[i]);
    squares += part;
  }
  const float factor = 1.0f / sqrtf(squares / N + epsilon);
  for (int i = 0; i < N; ++i) Y[row * N + i] = from_float<DTYPE>(to_float(x[i]) * factor * to_float(G[i]));
}
