// Rung 1, vectorised: VEC elements an access, one access of each vector a thread.
//
// Idea      16 bytes a thread are the widest access there is: an eighth of naive's loads and stores in 16-bit types.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements.
// Expects   anything: what is behind the last whole packet goes one by one.
// Lacks     bytes in flight: a thread waits for its two loads.
#include "element.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
axpy(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ Z, long long count, float a) {
  axpy_elements<1>(X, Y, Z, count, a);
}
