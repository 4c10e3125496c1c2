// Element by element, the products in between rounded once as the kernel rounds them, and how far another rounding of
// each (2^-8 of bf16, counted in fp32's 2^-24) would take the result.
#include "common/types.cuh"

extern "C" __global__ void reference(const DTYPE* Q, const DTYPE* K, const DTYPE* V, const float* O, int N, int D,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  const long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= count) return;
  const long long at = index == nullptr ? place : index[place];
  const long long m = at / D, d = at % D;
  ACC sum = O[at], squares = sum * sum;
  for (long long n = 0; n < N; ++n) {
    ACC product = 0;
    for (int i = 0; i < D; ++i) product += static_cast<ACC>(to_float(Q[m * D + i])) * to_float(K[n * D + i]);
    const ACC term =
        static_cast<ACC>(to_float(from_float<DTYPE>(static_cast<float>(product)))) * to_float(V[n * D + d]);
    sum += term;
    squares += term * term * 65536.0f * 65536.0f;
  }
  value[place] = sum;
  scale[place] = squares < 0 ? 0 : sqrt(squares);
}
