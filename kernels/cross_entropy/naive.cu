// Rung 0, naive: one thread computes one row, in three passes.
//
// Idea      the definition: largest logit, sum of exponentials, sum of logits. Neighbouring threads read neighbouring
//           rows, V elements apart, so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in pieces of 256: tens of thousands of fp32 additions one after the other are rounded to the same side where
//           numbers repeat.
// Expects   anything; X may have a leading dimension of its own.
// Lacks     coalesced access; parallelism within a row; one read instead of three.
#include "row_sums.cuh"

/// sum(term(x[i])), in pieces.
template <typename Term> __device__ __forceinline__ float sum_of(const DTYPE* x, int V, Term term) {
  float sum = 0.0f;
  for (int begin = 0; begin < V; begin += 256) {
    float piece = 0.0f;
    const int end = V - begin < 256 ? V : begin + 256;
    for (int i = begin; i < end; ++i) piece += term(to_float(x[i]));
    sum += piece;
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256)
cross_entropy(const DTYPE* __restrict__ X, const int* __restrict__ labels, float* __restrict__ loss,
              float* __restrict__ lse, int M, int V, float smoothing, long long pitch) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= M) return;
  const DTYPE* x = X + i * pitch;
  RowSums row;
  for (int v = 0; v < V; ++v) row.largest = fmaxf(row.largest, to_float(x[v]));
  const float from = row.largest == -infinity() ? 0.0f : row.largest;
  row.sum = sum_of(x, V, [&](float value) { return expf(value - from); });
  if (SMOOTHED) row.total = sum_of(x, V, [](float value) { return value; });
  write_loss(row, x, labels[i], V, smoothing, loss + i, lse + i);
}
