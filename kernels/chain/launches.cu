// Rung 0, launches: a launch for each operation, each by itself. Rung 1, graph: the same launches as one CUDA graph.
//
// Idea      what a framework does that runs one operation after another: n round trips through memory, and n launches.
//           Of short operations starting the kernels takes longest (`kerlab inspect`); a graph starts them for less.
// Parameters THREADS a block; VEC elements an access.
// Expects   anything.
// Lacks     fusion: a graph moves the same bytes.
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
step(const DTYPE* X, DTYPE* Y, long long count, float a, float b) {  // in place from the second on
  map_elements<VEC, 1>([a, b](float x) { return fmaf(a, x, b); }, count, Y, X);
}
