// Rung 1, columns: a thread keeps the y of its columns and walks down the rows.
//
// Idea      y is loaded and converted once for ROWS rows, x is one number a row for the whole block, and 16 bytes leave
//           at a time.
// Parameters THREADS a block, side by side; ACCESS bytes a store, VEC elements; ROWS of a block.
// Expects   anything; A may have a leading dimension of its own. Rows that begin at no multiple of a store go element by
//           element.
// Lacks     rows of odd lengths at full width.
#include "common/elementwise/packet.cuh"

template <int WIDTH>
__device__ __forceinline__ void walk(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ A,
                                     long long M, long long N, long long pitch) {
  using Several = Packet<DTYPE, WIDTH>;
  const long long step = static_cast<long long>(gridDim.x) * (THREADS * WIDTH);
  const long long begin = (static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x) * WIDTH;
  for (long long column = begin; column < N; column += step) {
    const Several of_columns = *reinterpret_cast<const Several*>(Y + column);
    float y[WIDTH];
    unpack(of_columns, y);
    for (long long top = static_cast<long long>(blockIdx.y) * ROWS; top < M; top += gridDim.y * ROWS) {
      const int rows = static_cast<int>(top + ROWS < M ? ROWS : M - top);
      DTYPE* to = A + top * pitch + column;
#pragma unroll 8
      for (int r = 0; r < rows; ++r, to += pitch) {
        const float x = to_float(X[top + r]);
        float products[WIDTH];
#pragma unroll
        for (int e = 0; e < WIDTH; ++e) products[e] = x * y[e];
        *reinterpret_cast<Several*>(to) = packet_of<DTYPE>(products);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
outer(const DTYPE* __restrict__ X, const DTYPE* __restrict__ Y, DTYPE* __restrict__ A, long long M, long long N,
      long long pitch) {
  if (N % VEC == 0 && pitch % VEC == 0) walk<VEC>(X, Y, A, M, N, pitch);
  else walk<1>(X, Y, A, M, N, pitch);
}
