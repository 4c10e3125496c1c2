// Rung 2, streamed: UNROLL accesses of each vector on their way at once, and, if wanted, a persistent grid.
//
// Idea      as many loads as memory needs to be busy, whatever the occupancy: THREADS x UNROLL x 16 bytes of each vector
//           for a block.
// Parameters THREADS a block; ACCESS bytes an access; UNROLL accesses in flight a thread; BLOCKS an SM, 0: one a tile.
// Expects   anything.
// Lacks     nothing: the bytes are the least, and in flight.
#include "element.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
axpy(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ Z, long long count, float a) {
  axpy_elements<UNROLL>(X, Y, Z, count, a);
}
