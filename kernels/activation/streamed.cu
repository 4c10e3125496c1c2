// Rung 2, streamed: UNROLL accesses of a thread on their way at once, and, if wanted, a persistent grid.
//
// Idea      a thread asks for all its UNROLL packets before it uses the first: THREADS x UNROLL x 16 bytes of a block
//           are in flight together. With BLOCKS blocks an SM the grid is persistent and strides over the whole; with 0
//           every block has one tile.
// Parameters THREADS a block; ACCESS bytes an access; UNROLL accesses in flight a thread; BLOCKS an SM, 0: one a tile.
// Expects   anything.
// Lacks     nothing for memory. gelu_erf is 13 instructions an element: the most of the four, half of what memory leaves.
#include "common/elementwise/activations.cuh"
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
activation(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, long long count) {
  map_elements<VEC, UNROLL>([](float x) { return activate<OP>(x); }, count, Y, X);
}
