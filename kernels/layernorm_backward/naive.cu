// Rung 0, naive: one thread computes one row of dX, in two passes; then one thread one column of dG and dB.
//
// Idea      the definitions. Rows are read by neighbouring threads N elements apart, so that no load of the first
//           launch is coalesced; those of the second are, but N threads are all the parallelism there is.
// Sum       in parts of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything.
// Lacks     coalesced access to rows; parallelism within rows and columns.
#include "common/types.cuh"

/// Sum of term(i), i < count.
template <typename Term> __device__ __forceinline__ float sum_of(int count, Term term) {
  float sum = 0.0f;
  for (int begin = 0; begin < count; begin += 256) {
    float part = 0.0f;
    const int end = count - begin < 256 ? count : begin + 256;
    for (int i = begin; i < end; ++i) part += term(i);
    sum += part;
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256)
gradients_of_rows(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                  const float* __restrict__ mean, const float* __restrict__ rstd, DTYPE* __restrict__ dX, int M, int N,
                  long long pitch_x, long long pitch_dy, long long pitch_dx) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* x = X + row * pitch_x;
  const DTYPE* dy = dY + row * pitch_dy;
  const float middle = mean[row], factor = rstd[row];
  const auto z = [&](int i) { return (to_float(x[i]) - middle) * factor; };
  const auto a = [&](int i) { return to_float(G[i]) * to_float(dy[i]); };
  const float b = sum_of(N, a) / N;
  const float c = sum_of(N, [&](int i) { return a(i) * z(i); }) / N;
  for (int i = 0; i < N; ++i) dX[row * pitch_dx + i] = from_float<DTYPE>(factor * (a(i) - b - z(i) * c));
}

extern "C" __global__ void __launch_bounds__(256)
sums_of_columns(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const float* __restrict__ mean,
                const float* __restrict__ rstd, float* __restrict__ dG, float* __restrict__ dB, int M, int N,
                long long pitch_x, long long pitch_dy) {
  const long long column = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= N) return;
  const auto dy = [&](int row) { return to_float(dY[row * pitch_dy + column]); };
  dG[column] = sum_of(M, [&](int row) {
    return dy(row) * ((to_float(X[row * pitch_x + column]) - mean[row]) * rstd[row]);
  });
  dB[column] = sum_of(M, dy);
}
