// Rung 0, naive: one thread an element.
//
// Idea      the definition. Neighbouring threads take neighbouring logits of a row, so that accesses are coalesced; each
//           thread asks for the row's label, lse and dloss as well.
// Expects   anything; X may have a leading dimension of its own.
// Lacks     wide accesses, and more than one load in flight a thread.
#include "common/rows/row_math.cuh"

extern "C" __global__ void __launch_bounds__(256)
cross_entropy_backward(DTYPE* __restrict__ X, const int* __restrict__ labels, const float* __restrict__ lse,
                       const float* __restrict__ dloss, int M, int V, float smoothing, long long pitch) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= V) return;
  const float flat = smoothing / static_cast<float>(V);
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    DTYPE& x = X[row * pitch + column];
    const int label = labels[row];
    const float taken = column == label ? 1.0f - smoothing + flat : flat;
    const float gradient = (expf(to_float(x) - lse[row]) - taken) * dloss[row];
    x = from_float<DTYPE>(label < 0 ? 0.0f : gradient);
  }
}
