// Rung 3, pitched: rows that need not follow one another.
//
// Idea      a tensor that is part of a larger one has gaps behind its rows (a leading dimension). Blocks share a row
//           (x), and stride over the rows (y); within a row all is as in streamed.
// Parameters THREADS a block; ACCESS bytes an access; UNROLL accesses in flight a thread.
// Expects   anything. Rows that begin at no multiple of an access go element by element, in the same number of
//           accesses at once.
// Lacks     what streamed has where there are no gaps: rows of odd lengths at full width, short rows without idle
//           threads.
#include "common/elementwise/activations.cuh"
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
activation(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, unsigned M, int N, long long pitch_X,
           long long pitch_Y) {
  for (unsigned row = blockIdx.y; row < M; row += gridDim.y) {
    const DTYPE* x = X + row * pitch_X;
    DTYPE* y = Y + row * pitch_Y;
    const auto f = [](float value) { return activate<OP>(value); };
    if (is_aligned_for<Packet<DTYPE, VEC>>(x) && is_aligned_for<Packet<DTYPE, VEC>>(y))
      map_elements<VEC, UNROLL>(f, N, y, x);
    else
      map_elements<1, UNROLL>(f, N, y, x);
  }
}
