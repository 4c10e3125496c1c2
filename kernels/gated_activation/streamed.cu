// Rung 1, streamed: wide accesses, UNROLL of each half on their way at once.
//
// Idea      a block has some packets of a row, of the gate and of what it lets through; f is one ex2 and one rcp. X
//           and Y may have leading dimensions of their own.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; UNROLL accesses of each half in flight a thread.
// Expects   anything. Where a half begins at no multiple of an access it goes element by element.
// Lacks     rows of odd lengths at full width; short rows leave threads idle.
#include "common/elementwise/activations.cuh"
#include "common/elementwise/map.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
gated(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, unsigned M, int N, long long pitch_X, long long pitch_Y) {
  const auto f = [](float gate, float up) { return activate<OP>(gate) * up; };
  const bool aligned = (N | static_cast<int>(pitch_X) | static_cast<int>(pitch_Y)) % VEC == 0;
  for (unsigned row = blockIdx.y; row < M; row += gridDim.y) {
    const DTYPE* x = X + row * pitch_X;
    DTYPE* y = Y + row * pitch_Y;
    if (aligned) map_elements<VEC, UNROLL>(f, N, y, x, x + N);
    else map_elements<1, UNROLL>(f, N, y, x, x + N);
  }
}
