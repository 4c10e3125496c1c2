// Rung 1, packets: VEC neighbours of a thread, UNROLL of them in flight.
//
// Idea      LANES neighbours of a row load VEC codes each and store VEC elements: at VEC = 8 that are 4 bytes of codes and 16
//           of bf16. A packet never crosses a group of columns, so that it needs one scale; what neighbours share comes
//           from the cache. Codes become fp16 by shifts, two to a register, and those fp32 by one conversion each.
// Parameters LANES threads a row, ROWS rows a block; VEC elements a packet; UNROLL packets of a thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); Q and Y may have leading dimensions of their own.
// Gained    over naive: stores of 16 bytes, and a scale read for VEC elements.
// Lacks     16 bytes a thread on the side of the codes: a transposition among lanes would give them.
// Measured  not measured
#include "scales.cuh"

template <int> struct CodesOf { using Type = unsigned char; };  // the bytes of a packet
template <> struct CodesOf<4> { using Type = unsigned short; };
template <> struct CodesOf<8> { using Type = unsigned; };
using Codes = CodesOf<VEC>::Type;

/// Codes e and e + 4 of a word as two halves, 2^14 times too small: sign and three bits go where fp16 has them.
__device__ __forceinline__ unsigned half_pair(unsigned word, int e) {
  const unsigned at = word << (12 - 4 * e);  // code e in the upper bits of both halves
  return (at & 0x80008000U) | (at & 0x70007000U) >> 3;
}

__device__ __forceinline__ void floats_of_codes(unsigned word, float* x) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const unsigned halves = half_pair(word, e);
    x[e] = float_from_half_bits(static_cast<unsigned short>(halves)) * 16384.0f;
    x[e + 4] = float_from_half_bits(static_cast<unsigned short>(halves >> 16)) * 16384.0f;
  }
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
dequantize(const unsigned char* __restrict__ Q, const unsigned char* __restrict__ S, const float* __restrict__ T,
           DTYPE* __restrict__ Y, int M, int N, int in_row, long long pitch_q, long long pitch_y) {
  const int packets = N / VEC;
  const unsigned across = static_cast<unsigned>(packets + LANES * UNROLL - 1) / (LANES * UNROLL);
  const long long row = static_cast<long long>(blockIdx.x / across) * ROWS + threadIdx.x / LANES;
  const int first = static_cast<int>(blockIdx.x % across) * LANES * UNROLL + static_cast<int>(threadIdx.x) % LANES;
  if (row >= M) return;
  auto* y = reinterpret_cast<Packet<DTYPE, VEC>*>(Y + row * pitch_y);
  const float whole = NV ? *T : 1.0f;

  Codes held[UNROLL];
  unsigned char scale[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * LANES;
    if (at >= packets) continue;
    held[u] = VEC == 1 ? static_cast<Codes>(Q[row * pitch_q + at / 2] >> (at % 2 * 4))
                       : reinterpret_cast<const Codes*>(Q + row * pitch_q)[at];
    scale[u] = S[row * in_row + at / (GROUP / VEC)];
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (first + u * LANES >= packets) continue;
    const float factor = factor_of(scale[u], whole);
    float x[VEC];
    if constexpr (VEC == 8) {
      floats_of_codes(static_cast<unsigned>(held[u]), x);
    } else {
#pragma unroll
      for (int e = 0; e < VEC; ++e) x[e] = float_from_e2m1(held[u] >> 4 * e & 15U);
    }
#pragma unroll
    for (int e = 0; e < VEC; ++e) x[e] *= factor;
    y[first + u * LANES] = packet_of<DTYPE>(x);
  }
}
