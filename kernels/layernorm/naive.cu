// Rung 0, naive: one thread computes one row, in three passes.
//
// Idea      the definition: mean, variance about it, division. Neighbouring threads read neighbouring rows, N elements
//           apart, so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in parts of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

/// Sum of term(i) over the row.
template <typename Term> __device__ __forceinline__ float sum_of(int N, Term term) {
  float sum = 0.0f;
  for (int begin = 0; begin < N; begin += 256) {
    float part = 0.0f;
    const int end = begin + 256 < N ? begin + 256 : N;
    for (int i = begin; i < end; ++i) part += term(i);
    sum += part;
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256)
layernorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, const DTYPE* __restrict__ B, DTYPE* __restrict__ Y,
          int M, int N, float epsilon) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* x = X + row * N;
  const float mean = sum_of(N, [&](int i) { return to_float(x[i]); }) / N;
  const float squares = sum_of(N, [&](int i) { return (to_float(x[i]) - mean) * (to_float(x[i]) - mean); });
  const float factor = 1.0f / sqrtf(squares / N + epsilon);
  for (int i = 0; i < N; ++i)
    Y[row * N + i] = from_float<DTYPE>((to_float(x[i]) - mean) * factor * to_float(G[i]) + to_float(B[i]));
}
