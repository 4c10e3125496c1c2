// Rung 1, vectorised: VEC elements an access, one access a thread; the smooth functions by one exponential.
//
// Idea      16 bytes a thread are the widest access there is, and two bf16 are converted by one instruction: an element
//           costs its mathematics and little else. x / (1 + exp(-x Q(x^2))) is one ex2 and one rcp for each function.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements.
// Expects   anything: what is behind the last whole packet goes one by one.
// Lacks     bytes in flight: a thread waits for its one load. The device needs about 48 KB on their way to each SM.
#include "common/elementwise/activations.cuh"
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
activation(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, long long count) {
  map_elements<VEC, 1>([](float x) { return activate<OP>(x); }, count, Y, X);
}
