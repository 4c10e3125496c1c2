// Rung 2, streamed: UNROLL accesses of a thread on their way at once, and, if wanted, a persistent grid.
//
// Idea      enough bytes in flight, although the narrower side moves less than 16 bytes a thread.
// Parameters THREADS a block; ACCESS bytes of the wider type an access; UNROLL accesses in flight a thread; BLOCKS an
//           SM, 0: one a tile.
// Expects   anything.
// Lacks     16 bytes a thread on the narrower side: a transposition among lanes would give them.
#include "out_type.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
cast(const DTYPE* __restrict__ X, Out* __restrict__ Y, long long count) {
  map_elements<VEC, UNROLL>([](float x) { return x; }, count, Y, X);
}
