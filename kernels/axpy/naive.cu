// Rung 0, naive: one thread an element.
//
// Idea      the definition. Loads and stores are coalesced: neighbouring threads have neighbouring elements.
// Expects   anything.
// Lacks     wide accesses: 16-bit types move 2 bytes a thread and access.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
axpy(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ Z, long long count, float a) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= count) return;
  const float x = to_float(X[i]);
  Z[i] = from_float<DTYPE>(OP == 2 ? a * x : fmaf(OP == 0 ? a : 1.0f, x, to_float(Y[i])));
}
