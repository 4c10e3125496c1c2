// Rung 1, vectorised: VEC elements an access, one load and one store a thread.
//
// Idea      both sides move VEC elements at once, 16 bytes of the wider type: lanes stay neighbours on both sides, so
//           that every sector is whole. Two elements are converted by one instruction where there is one.
// Parameters THREADS a block; ACCESS bytes of the wider type an access, VEC elements.
// Expects   anything: what is behind the last whole packet goes one by one.
// Lacks     bytes in flight: a thread waits for its one load.
#include "out_type.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
cast(const DTYPE* __restrict__ X, Out* __restrict__ Y, long long count) {
  map_elements<VEC, 1>([](float x) { return x; }, count, Y, X);
}
