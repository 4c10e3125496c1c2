// Rung 1, columns: a thread keeps the bias of its columns and walks down the rows.
//
// Idea      VEC columns are a thread's for ROWS rows: the bias is loaded and converted once for them, and the UNROLL
//           rows at hand are all asked for before the first is used. gelu is one ex2 and one rcp.
// Parameters THREADS a block, side by side; ACCESS bytes an access, VEC elements; UNROLL rows in flight a thread; ROWS
//           of a block.
// Expects   anything. Where rows begin at no multiple of an access it goes element by element.
// Lacks     rows of odd lengths at full width; narrow tensors (N below THREADS x VEC) leave threads idle.
#include "common/elementwise/activations.cuh"
#include "common/elementwise/packet.cuh"

struct Work {
  const DTYPE* x;
  const DTYPE* bias;
  DTYPE* y;
  long long M, pitch_x, pitch_y;
};

/// This block's columns and rows, WIDTH columns at a time; N is a multiple of it.
template <int WIDTH>
__device__ __forceinline__ void walk(const Work& work, long long N) {
  using Several = Packet<DTYPE, WIDTH>;
  const long long step = static_cast<long long>(gridDim.x) * (THREADS * WIDTH);
  long long column = (static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x) * WIDTH;
  for (; column < N; column += step) {
    const Several of_columns = *reinterpret_cast<const Several*>(work.bias + column);
    float b[WIDTH];
    unpack(of_columns, b);
    const auto apply = [&](const Several& packet) {
      float z[WIDTH];
      unpack(packet, z);
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) z[e] = activate<OP>(z[e] + b[e]);
      return packet_of<DTYPE>(z);
    };
    for (long long top = static_cast<long long>(blockIdx.y) * ROWS; top < work.M; top += gridDim.y * ROWS) {
      const long long bottom = top + ROWS < work.M ? top + ROWS : work.M;
      const DTYPE* x = work.x + top * work.pitch_x + column;
      DTYPE* y = work.y + top * work.pitch_y + column;
      long long row = top;
      for (; row + UNROLL <= bottom; row += UNROLL, x += UNROLL * work.pitch_x, y += UNROLL * work.pitch_y) {
        Several held[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) held[u] = *reinterpret_cast<const Several*>(x + u * work.pitch_x);
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) *reinterpret_cast<Several*>(y + u * work.pitch_y) = apply(held[u]);
      }
      for (; row < bottom; ++row, x += work.pitch_x, y += work.pitch_y)
        *reinterpret_cast<Several*>(y) = apply(*reinterpret_cast<const Several*>(x));
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
bias_gelu(const DTYPE* __restrict__ X, const DTYPE* __restrict__ bias, DTYPE* __restrict__ Y, long long M, long long N,
          long long pitch_X, long long pitch_Y) {
  const Work work = {X, bias, Y, M, pitch_X, pitch_Y};
  if (N % VEC == 0 && pitch_X % VEC == 0 && pitch_Y % VEC == 0) walk<VEC>(work, N);
  else walk<1>(work, N);
}
