// Rung 0, naive: one thread an element of y, blocks along the rows.
//
// Idea      the definition, by expf, tanhf and erff. Both halves of the row are read side by side, coalesced.
// Expects   anything.
// Lacks     wide accesses; mathematics that memory leaves time for.
#include "common/types.cuh"

__device__ __forceinline__ float defined(float x) {
  if (OP == 0) return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
  if (OP == 1) return 0.5f * x * (1.0f + erff(0.707106781f * x));
  return x / (1.0f + expf(-x));
}

extern "C" __global__ void __launch_bounds__(256)
gated(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    const DTYPE* x = X + row * 2 * N + column;
    Y[row * N + column] = from_float<DTYPE>(defined(to_float(x[0])) * to_float(x[N]));
  }
}
