// Rung 0, naive: one thread an element, blocks along the rows.
//
// Idea      the definition, by tanhf and erff. Loads and stores are coalesced; the bias is read for every row again,
//           mostly from cache.
// Expects   anything.
// Lacks     wide accesses; a bias that is read once; mathematics that memory leaves time for.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
bias_gelu(const DTYPE* __restrict__ X, const DTYPE* __restrict__ bias, DTYPE* __restrict__ Y, int M, int N) {
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  for (long long row = blockIdx.y; row < M; row += gridDim.y) {
    const float z = to_float(X[row * N + column]) + to_float(bias[column]);
    const float t = OP == 0 ? tanhf(0.797884561f * (z + 0.044715f * z * z * z)) : erff(0.707106781f * z);
    Y[row * N + column] = from_float<DTYPE>(0.5f * z * (1.0f + t));
  }
}
