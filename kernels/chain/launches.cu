// Rung 0, launches: a launch for each operation.
//
// Idea      what a framework does that runs one operation after another: n round trips through memory, and n launches.
//           Of short operations `kerlab inspect` names the start of the kernels as the bottleneck.
// Parameters THREADS a block; VEC elements an access.
// Expects   anything.
// Lacks     fusion. A CUDA graph of the n launches would start them for less, and move the same bytes; the format has
//           no graphs, so that there is no such rung.
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
step(const DTYPE* X, DTYPE* Y, long long count, float a, float b) {  // in place from the second on
  map_elements<VEC, 1>([a, b](float x) { return fmaf(a, x, b); }, count, Y, X);
}
