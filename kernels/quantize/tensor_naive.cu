// Rung 0 of one scale for everything, tensor_naive: two launches, one thread an element.
//
// Idea      no block knows the largest magnitude before the last one has looked: it is found in one launch and used in the
//           next. Every element meets in one word of memory: an atomic each.
// Expects   anything; X and Q may have leading dimensions of their own.
// Lacks     wide accesses; fewer atomics: all elements wait for one another at one address (next rung).
#include "codes.cuh"

extern "C" __global__ void __launch_bounds__(256)
largest_magnitude(const DTYPE* __restrict__ X, unsigned* amax, int M, int N, long long pitch_x) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  const long long row = i / N;
  if (row < M) atomicMax(amax, bits_from_float(magnitude(to_float(X[row * pitch_x + i - row * N]))));
}

extern "C" __global__ void __launch_bounds__(256)
quantize(const DTYPE* __restrict__ X, Code* __restrict__ Q, Scale* __restrict__ S, const unsigned* __restrict__ amax,
         int M, int N, long long pitch_x, long long pitch_q) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  const long long row = i / N, column = i - row * N;
  if (row >= M) return;
  const Scaling scaling = scaling_of(float_from_bits(*amax));
  Q[row * pitch_q + column] = code_of(to_float(X[row * pitch_x + column]) * scaling.factor);
  if (i == 0) *S = scaling.scale;
}
