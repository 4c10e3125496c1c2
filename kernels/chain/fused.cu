// Rung 2, fused: all operations in one launch.
//
// Idea      a number stays in its register from the first operation to the last: one read and one write, whatever n is,
//           until the operations themselves take longer than memory.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL accesses in flight a thread; BLOCKS an SM,
//           0: one a tile.
// Expects   anything.
// Lacks     nothing.
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
chain(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, long long count, int n, float a, float b) {
  map_elements<VEC, UNROLL>(
      [=](float x) {
        for (int i = 0; i < n; ++i) x = fmaf(a, x, b);
        return x;
      },
      count, Y, X);
}
