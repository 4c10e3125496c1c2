// Rung 0, naive: one thread an element.
//
// Idea      the definition, in fp32, by the functions of the language (tanhf, erff, expf). Neighbouring threads have
//           neighbouring elements, so that loads and stores are coalesced.
// Expects   anything.
// Lacks     wide accesses: 2 bytes a thread in bf16, so that each instruction of the load and store units moves an eighth
//           of what it can; tanhf and erff cost more instructions than memory leaves time for.
#include "common/types.cuh"

__device__ __forceinline__ float defined(float x) {
  if (OP == 0) return 0.5f * x * (1.0f + tanhf(0.797884561f * (x + 0.044715f * x * x * x)));
  if (OP == 1) return 0.5f * x * (1.0f + erff(0.707106781f * x));
  if (OP == 2) return x / (1.0f + expf(-x));
  return x < 0.0f ? 0.0f : x;  // NaN stays NaN
}

extern "C" __global__ void __launch_bounds__(256)
activation(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i < count) Y[i] = from_float<DTYPE>(defined(to_float(X[i])));
}
