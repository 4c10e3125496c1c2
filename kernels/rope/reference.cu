// What X should be, element by element, and how far the roundings may take it: the size of both products, and the angle
// where it is computed.
#include "common/types.cuh"

__device__ __forceinline__ ACC magnitude(ACC x) { return x < 0 ? -x : x; }
__device__ __forceinline__ ACC infinite() { return __int_as_float(0x7f800000); }
__device__ __forceinline__ bool is_infinite(ACC x) { return magnitude(x) == infinite(); }

extern "C" __global__ void reference(const DTYPE* X, const float* cosines, const float* sines, int H, int D, float theta,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long i = index == nullptr ? place : index[place];
  const int element = static_cast<int>(i % D);
  const long long token = i / D / H;
  const int half = D / 2;
  const int pair = GPTJ ? element / 2 : element % half;
  const bool first = GPTJ ? element % 2 == 0 : element < half;
  const DTYPE* head = X + i / D * D;
  const ACC p = to_float(head[GPTJ ? 2 * pair : pair]);
  const ACC q = to_float(head[GPTJ ? 2 * pair + 1 : pair + half]);
  const ACC angle = COMPUTED ? ACC(token) * pow(ACC(theta), ACC(-2 * pair) / D) : ACC(0);
  const ACC c = COMPUTED ? cos(angle) : ACC(cosines[token * half + pair]);
  const ACC s = COMPUTED ? sin(angle) : ACC(sines[token * half + pair]);
  value[place] = first ? p * c - q * s : p * s + q * c;
  const ACC sizes = first ? magnitude(p * c) + magnitude(q * s) : magnitude(p * s) + magnitude(q * c);
  scale[place] = sizes + (COMPUTED ? (magnitude(p) + magnitude(q)) * (2 + 4 * angle) : ACC(0));
  // A factor that may be of either sign, or 0, takes an infinity anywhere but to a number.
  const ACC doubt = COMPUTED ? (2 + 4 * angle) * ACC(2.4e-7) : ACC(-1);
  const ACC of_p = first ? c : s, of_q = first ? s : c;
  if ((is_infinite(p) && magnitude(of_p) <= doubt) || (is_infinite(q) && magnitude(of_q) <= doubt))
    scale[place] = -infinite();
}
