// Rung 0, naive: one thread a group, in two passes; of nvfp4 a launch before it, with an atomic for each group.
//
// Idea      the definition. Neighbouring threads read neighbouring groups, so that no access is coalesced. A group has an
//           even number of columns: no byte belongs to two threads.
// Expects   anything; X and Q may have leading dimensions of their own.
// Lacks     coalesced access; parallelism within a group.
// Measured  not measured
#include "codes.cuh"

__device__ __forceinline__ float amax_of(const DTYPE* x, int length) {
  float amax = 0.0f;
  for (int i = 0; i < length; ++i) amax = LargerMagnitude()(amax, magnitude(to_float(x[i])));
  return amax;
}

extern "C" __global__ void __launch_bounds__(128)
largest_magnitude(const DTYPE* __restrict__ X, unsigned* all, long long groups, int N, int in_row, long long pitch_x) {
  const long long g = static_cast<long long>(blockIdx.x) * 128 + threadIdx.x;
  if (g >= groups) return;
  const int first = static_cast<int>(g % in_row) * GROUP;
  const int length = N - first < GROUP ? N - first : GROUP;
  atomicMax(all, bits_from_float(amax_of(X + g / in_row * pitch_x + first, length)));
}

extern "C" __global__ void __launch_bounds__(128)
quantize(const DTYPE* __restrict__ X, unsigned char* __restrict__ Q, unsigned char* __restrict__ S, float* __restrict__ T,
         const unsigned* __restrict__ all, long long groups, int N, int in_row, long long pitch_x, long long pitch_q) {
  const long long g = static_cast<long long>(blockIdx.x) * 128 + threadIdx.x;
  if (g >= groups) return;
  const long long row = g / in_row;
  const int first = static_cast<int>(g % in_row) * GROUP;
  const int length = N - first < GROUP ? N - first : GROUP;
  const DTYPE* x = X + row * pitch_x + first;
  unsigned char* q = Q + row * pitch_q + first / 2;

  const Whole whole = NV ? whole_of(float_from_bits(*all)) : Whole();
  const Scaling scaling = scaling_of(amax_of(x, length), whole);
  S[g] = scaling.stored;
  for (int i = 0; i < length; i += 2) {
    const unsigned low = code_of(to_float(x[i]), scaling.factor);
    const unsigned high = i + 1 < length ? code_of(to_float(x[i + 1]), scaling.factor) : 0;
    q[i / 2] = static_cast<unsigned char>(low | high << 4);
  }
  if (g == 0) *T = whole.step;
}
