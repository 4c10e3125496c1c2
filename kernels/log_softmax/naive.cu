// Rung 0, naive: one thread computes one row, in three passes.
//
// Idea      the definition: largest element, sum of exponentials, difference. Neighbouring threads read neighbouring
//           rows, N elements apart, so that no load is coalesced, and M threads are all the parallelism there is.
// Sum       in pieces of 256: tens of thousands of fp32 additions one after the other, of numbers that repeat, are
//           rounded to the same side each time.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
log_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, long long pitch_x, long long pitch_y) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const DTYPE* x = X + row * pitch_x;
  DTYPE* y = Y + row * pitch_y;

  // fmaxf passes over NaN; x - largest does not, and poisons the sum.
  float largest = to_float(x[0]);
  for (int i = 1; i < N; ++i) largest = fmaxf(largest, to_float(x[i]));
  float sum = 0.0f, piece = 0.0f;
  for (int i = 0; i < N; ++i) {
    piece += expf(to_float(x[i]) - largest);
    if (i % 256 != 255) continue;
    sum += piece;
    piece = 0.0f;
  }
  const float logarithm = logf(sum + piece);
  for (int i = 0; i < N; ++i) y[i] = from_float<DTYPE>(to_float(x[i]) - largest - logarithm);
}
