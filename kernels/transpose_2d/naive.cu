// Rung 0, naive: one thread an element, neighbours along the rows of x.
//
// Idea      the definition. Loads are coalesced; the stores of a warp go to 32 rows of y, a sector each.
// Expects   at most 65,535 matrices.
// Lacks     stores that fill their sectors: 32 bytes are written for each element.
#include "bits.cuh"

extern "C" __global__ void __launch_bounds__(256)
transpose(const Bits* __restrict__ X, Bits* __restrict__ Y, long long M, long long N) {
  X += blockIdx.z * M * N;
  Y += blockIdx.z * M * N;
  const long long column = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (column >= N) return;
  for (long long row = blockIdx.y; row < M; row += gridDim.y) Y[column * M + row] = X[row * N + column];
}
