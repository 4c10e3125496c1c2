// Rung 0, naive: one thread a pair.
//
// Idea      the definition: a thread reads both elements of its pair, and the angle's cosine and sine, and writes both
//           where they were. Neighbouring threads have neighbouring pairs.
// Expects   anything.
// Lacks     wide accesses; angles that are read or computed once for all heads of a token.
#include "angle.cuh"

extern "C" __global__ void __launch_bounds__(256)
rope(DTYPE* __restrict__ X, const float* __restrict__ cosines, const float* __restrict__ sines, long long pairs, int H,
     int D, float theta) {
  const long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= pairs) return;
  const int half = D / 2;
  const int pair = static_cast<int>(i % half);
  const long long head = i / half;
  const long long token = head / H;
  float c, s;
  if (COMPUTED) {
    angle_of(static_cast<float>(token), turns_of(static_cast<float>(pair), step_of(D, theta)), c, s);
  } else {
    c = cosines[token * half + pair];
    s = sines[token * half + pair];
  }
  DTYPE* first = X + head * D + (GPTJ ? 2 * pair : pair);
  DTYPE* second = first + (GPTJ ? 1 : half);
  const float p = to_float(*first), q = to_float(*second);
  *first = from_float<DTYPE>(p * c - q * s);
  *second = from_float<DTYPE>(p * s + q * c);
}
