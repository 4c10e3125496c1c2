// Rungs 1 and 2, vectorised and streamed: packets of VEC codes, UNROLL of them in flight a thread.
//
// Idea      LANES neighbours of a row load VEC codes each and store VEC elements: at VEC = 8 that are 8 bytes of codes and
//           16 of bf16. A packet never crosses a group of columns, so that it needs one scale; what neighbours share
//           comes from the cache. streamed has UNROLL packets of a thread on their way at once, vectorised one.
// Parameters LANES threads a row, ROWS rows a block; VEC elements a packet; UNROLL packets of a thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); Q and Y may have leading dimensions of their own.
// Lacks     16 bytes a thread on the side of the codes: a transposition among lanes would give them.
#include "codes.cuh"

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
dequantize(const DTYPE* __restrict__ Q, const Scale* __restrict__ S, Out* __restrict__ Y, int M, int N, int in_row,
           long long pitch_q, long long pitch_y) {
  const int packets = N / VEC;
  const unsigned across = static_cast<unsigned>(packets + LANES * UNROLL - 1) / (LANES * UNROLL);
  const long long row = static_cast<long long>(blockIdx.x / across) * ROWS + threadIdx.x / LANES;
  const int first = static_cast<int>(blockIdx.x % across) * LANES * UNROLL + static_cast<int>(threadIdx.x) % LANES;
  if (row >= M) return;
  const auto* q = reinterpret_cast<const Packet<DTYPE, VEC>*>(Q + row * pitch_q);
  auto* y = reinterpret_cast<Packet<Out, VEC>*>(Y + row * pitch_y);
  const Scale* scales = S + row * in_row;

  Packet<DTYPE, VEC> held[UNROLL];
  float scale[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * LANES;
    if (at >= packets) continue;
    held[u] = q[at];
    scale[u] = number_of(scales[GROUP ? at / (kGroup / VEC) : 0]);
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (first + u * LANES >= packets) continue;
    float x[VEC];
    floats_of_codes(held[u], x);
#pragma unroll
    for (int e = 0; e < VEC; ++e) x[e] *= scale[u];
    y[first + u * LANES] = packet_of<Out>(x);
  }
}
