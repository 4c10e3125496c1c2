// Rung 0, naive: one thread computes one row, in three passes over what it sees.
//
// Idea      the definition: largest element, sum of exponentials, division, zeros. Neighbouring threads read
//           neighbouring rows, N elements apart, so that no load is coalesced, and B M threads are all the parallelism
//           there is; those of late rows take longest.
// Sum       in pieces of 256: tens of thousands of fp32 additions one after the other are rounded to the same side
//           where numbers repeat.
// Expects   anything.
// Lacks     coalesced access; parallelism within a row.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
causal_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int rows, int M, int N, long long pitch_x,
               long long pitch_y) {
  const int row = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (row >= rows) return;
  const DTYPE* x = X + row * pitch_x;
  DTYPE* y = Y + row * pitch_y;
  const int seen = row % M + 1 + N - M;

  // fmaxf passes over NaN; x - largest does not, and poisons the sum.
  float largest = to_float(x[0]);
  for (int i = 1; i < seen; ++i) largest = fmaxf(largest, to_float(x[i]));
  float sum = 0.0f, piece = 0.0f;
  for (int i = 0; i < seen; ++i) {
    piece += expf(to_float(x[i]) - largest);
    if (i % 256 != 255) continue;
    sum += piece;
    piece = 0.0f;
  }
  sum += piece;
  for (int i = 0; i < N; ++i) y[i] = from_float<DTYPE>(i < seen ? expf(to_float(x[i]) - largest) / sum : 0.0f);
}
