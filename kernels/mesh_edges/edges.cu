// Gather, rung 0, edges: a thread a number of an edge.
//
// Idea       neighbours have the numbers of one edge, and then those of the next: they read whole vertices side by side. In the
//            natural order the edges of a warp share most of their vertices, and L1 has them; in any other order a vertex is
//            met once in a warp, and comes again for each of its six edges.
// Parameters THREADS of a block.
// Expects    anything.
// Counted    sectors an edge, 256 x 256 vertices, F = 1: 0.58 in the natural order, 1.42 permuted; of them 0.21 and 1.04 of x.
// Lacks      wide loads; the ends are asked for once a number.
#include "mesh.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
edges(const DTYPE* __restrict__ X, const int2* __restrict__ ends, DTYPE* __restrict__ Y, long long numbers, int F) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= numbers) return;
  const int2 end = ends[i / F];
  const int f = static_cast<int>(i % F);
  Y[i] = X[static_cast<long long>(end.y) * F + f] - X[static_cast<long long>(end.x) * F + f];
}
