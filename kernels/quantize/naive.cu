// Rung 0, naive: one thread a group, in two passes.
//
// Idea      the definition. Neighbouring threads read neighbouring groups, so that no access is coalesced.
// Expects   anything; X and Q may have leading dimensions of their own.
// Lacks     coalesced access; parallelism within a group.
#include "codes.cuh"

extern "C" __global__ void __launch_bounds__(128)
quantize(const DTYPE* __restrict__ X, Code* __restrict__ Q, Scale* __restrict__ S, long long groups, int N, int group,
         int in_row, long long pitch_x, long long pitch_q) {
  const long long g = static_cast<long long>(blockIdx.x) * 128 + threadIdx.x;
  if (g >= groups) return;
  const long long row = g / in_row;
  const int first = static_cast<int>(g % in_row) * group;
  const int length = N - first < group ? N - first : group;
  const DTYPE* x = X + row * pitch_x + first;
  Code* q = Q + row * pitch_q + first;

  float amax = 0.0f;
  for (int i = 0; i < length; ++i) amax = LargerMagnitude()(amax, magnitude(to_float(x[i])));
  const Scaling scaling = scaling_of(amax);
  S[g] = scaling.scale;
  for (int i = 0; i < length; ++i) q[i] = code_of(to_float(x[i]) * scaling.factor);
}
