// Judges a sort: nothing falls, and what is there is what was there.
#include "common/types.cuh"

using Word = unsigned long long;

__device__ Word hashed(Word x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

extern "C" __global__ void __launch_bounds__(1024)
checker(const DTYPE* X, const DTYPE* Y, int N, float* error, int* code) {
  __shared__ Word sums[2];
  __shared__ int falls;
  if (threadIdx.x == 0) sums[0] = sums[1] = falls = 0;
  __syncthreads();
  Word first = 0, second = 0;
  int down = 0;
  for (long long i = threadIdx.x; i < N; i += 1024) {
    const Word x = X[i], y = Y[i];
    first += hashed(x + 0x9e3779b97f4a7c15ULL) - hashed(y + 0x9e3779b97f4a7c15ULL);
    second += hashed(x * 0xd1342543de82ef95ULL + 1) - hashed(y * 0xd1342543de82ef95ULL + 1);
    if (i > 0 && Y[i - 1] > Y[i]) down = 1;
  }
  atomicAdd(&sums[0], first);
  atomicAdd(&sums[1], second);
  if (down != 0) atomicOr(&falls, 1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  code[0] = falls != 0 ? 1 : sums[0] != 0 || sums[1] != 0 ? 2 : 0;
  error[0] = code[0] == 0 ? 0.0f : 2.0f;
}
