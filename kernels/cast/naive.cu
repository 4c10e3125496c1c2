// Rung 0, naive: one thread an element.
//
// Idea      the definition: through fp32, which holds every number of the narrower types exactly, so that there is one
//           rounding.
// Expects   anything.
// Lacks     wide accesses: an fp8 type moves one byte a thread and access.
#include "out_type.cuh"

extern "C" __global__ void __launch_bounds__(256)
cast(const DTYPE* __restrict__ X, Out* __restrict__ Y, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i < count) Y[i] = from_float<Out>(to_float(X[i]));
}
