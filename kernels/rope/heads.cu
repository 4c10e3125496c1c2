// Rung 1, heads: a thread keeps the angles of its pairs for several heads of a token.
//
// Idea      angles depend on token and pair, not on the head: a thread reads or computes them once, and turns the same
//           pairs of HEADS heads, all of which it loads before it uses the first. Of neox a thread has one access of each
//           half of the head, of gptj one access of neighbouring pairs: either way sectors are whole.
// Parameters THREADS a block; ACCESS bytes an access, VEC elements; HEADS a thread.
// Expects   heads of whole accesses: D a multiple of 2 VEC (neox) or VEC (gptj).
// Lacks     heads of other lengths, which naive takes.
#include "angle.cuh"
#include "common/elementwise/packet.cuh"

constexpr int kPairs = GPTJ ? VEC / 2 : VEC;  // of a thread
using Several = Packet<DTYPE, VEC>;

struct Angles {
  float c[kPairs], s[kPairs];
};

__device__ __forceinline__ Angles angles_of(const float* cosines, const float* sines, long long token, int pair, int D,
                                            long long place, float theta) {
  Angles angles;
  constexpr int kWide = kPairs < 4 ? kPairs : 4;
#pragma unroll
  for (int i = 0; i < kPairs; i += kWide) {
    if constexpr (COMPUTED) {
#pragma unroll
      for (int e = i; e < i + kWide; ++e)
        angle_of(static_cast<float>(token), turns_of(static_cast<float>(pair) + e, step_of(D, theta)), angles.c[e],
                 angles.s[e]);
    } else {
      const auto c = *reinterpret_cast<const Packet<float, kWide>*>(cosines + place + i);
      const auto s = *reinterpret_cast<const Packet<float, kWide>*>(sines + place + i);
#pragma unroll
      for (int e = 0; e < kWide; ++e) {
        angles.c[i + e] = c.at[e];
        angles.s[i + e] = s.at[e];
      }
    }
  }
  return angles;
}

/// One head's share: of neox `first` and `second` are of its two halves, of gptj `second` is not used.
__device__ __forceinline__ void turn(const Angles& angles, Several& first, Several& second) {
  float x[VEC], y[VEC];
  unpack(first, x);
  if (!GPTJ) unpack(second, y);
#pragma unroll
  for (int e = 0; e < kPairs; ++e) {
    float& p = x[GPTJ ? 2 * e : e];
    float& q = GPTJ ? x[2 * e + 1] : y[e];
    const float turned = fmaf(p, angles.c[e], q * -angles.s[e]);
    q = p * angles.s[e] + q * angles.c[e];
    p = turned;
  }
  first = packet_of<DTYPE>(x);
  if (!GPTJ) second = packet_of<DTYPE>(y);
}

extern "C" __global__ void __launch_bounds__(THREADS)
rope(DTYPE* __restrict__ X, const float* __restrict__ cosines, const float* __restrict__ sines, long long S, int H, int D,
     float theta) {
  const unsigned half = static_cast<unsigned>(D) / 2;
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * THREADS + threadIdx.x;
  const long long token = i / (half / kPairs);
  if (token >= S) return;
  const long long place = i * kPairs;  // of the first pair, in the table: token * half + pair
  const int pair = static_cast<int>(place - token * half);
  const int head = static_cast<int>(blockIdx.y) * HEADS;
  DTYPE* x = X + (token * H + head) * D + (GPTJ ? 2 * pair : pair);
  const Angles angles = angles_of(cosines, sines, token, pair, D, place, theta);
  Several first[HEADS], second[HEADS];
#pragma unroll
  for (int h = 0; h < HEADS; ++h)
    if (head + h < H) {
      first[h] = *reinterpret_cast<const Several*>(x + h * D);
      if (!GPTJ) second[h] = *reinterpret_cast<const Several*>(x + h * D + D / 2);
    }
#pragma unroll
  for (int h = 0; h < HEADS; ++h)
    if (head + h < H) {
      turn(angles, first[h], second[h]);
      *reinterpret_cast<Several*>(x + h * D) = first[h];
      if (!GPTJ) *reinterpret_cast<Several*>(x + h * D + D / 2) = second[h];
    }
}
