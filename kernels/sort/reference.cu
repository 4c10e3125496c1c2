// Judges a sort: nothing falls, what is there is what was there, and values went with their keys.
#include "common/reference_parts.cuh"
#include "common/types.cuh"

using Word = unsigned long long;
#if KEY == 3
using Key = unsigned long long;
#else
using Key = unsigned;
#endif

/// As the kernels must have it, said in another way: of f32 the sizes of negative numbers count downwards.
__device__ bool is_above(Key a, Key b) {
  if (KEY == 0 || KEY == 3) return a > b;
  int x = static_cast<int>(a), y = static_cast<int>(b);
  if (KEY == 2 && x < 0) x = static_cast<int>(0x80000000U + (0xffffffffU - static_cast<unsigned>(x)));
  if (KEY == 2 && y < 0) y = static_cast<int>(0x80000000U + (0xffffffffU - static_cast<unsigned>(y)));
  return x > y;
}

__device__ Word hashed(Word x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// What the blocks have found so far; 0 again after the last of them.
__device__ Word sums[2];
__device__ int falls;
__device__ unsigned arrived;

/// Of the last block.
__device__ void tell_all(float* error, int* code) {
  const int down = atomicExch(&falls, 0);
  const Word first = atomicExch(&sums[0], 0ULL), second = atomicExch(&sums[1], 0ULL);
  atomicExch(&arrived, 0U);
  code[0] = down != 0 ? 1 : first != 0 || second != 0 ? 2 : 0;
  error[0] = code[0] == 0 ? 0.0f : 2.0f;
}

extern "C" __global__ void __launch_bounds__(1024)
checker(const Key* X, const Key* Y, int N, float* error, int* code) {
  __shared__ Word own[2];
  if (threadIdx.x == 0) own[0] = own[1] = 0;
  __syncthreads();
  Word first = 0, second = 0;
  int down = 0;
  for (long long i = 1024LL * blockIdx.x + threadIdx.x; i < N; i += 1024LL * gridDim.x) {
    const Word x = X[i], y = Y[i];
    first += hashed(x + 0x9e3779b97f4a7c15ULL) - hashed(y + 0x9e3779b97f4a7c15ULL);
    second += hashed(x * 0xd1342543de82ef95ULL + 1) - hashed(y * 0xd1342543de82ef95ULL + 1);
    if (i > 0 && is_above(Y[i - 1], Y[i])) down = 1;
  }
  atomicAdd(&own[0], first);
  atomicAdd(&own[1], second);
  if (down != 0) atomicOr(&falls, 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(&sums[0], own[0]);
  atomicAdd(&sums[1], own[1]);
  __threadfence();
  if (atomicAdd(&arrived, 1U) == gridDim.x - 1) tell_all(error, code);
}

/// Where V, which rises, has the value; N where it has not.
__device__ int place_of(const unsigned* V, int N, unsigned value) {
  int begin = 0, end = N;
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (V[middle] < value) begin = middle + 1;
    else end = middle;
  }
  return begin < N && V[begin] == value ? begin : N;
}

__device__ int judged(const Key* X, const unsigned* V, const Key* Y, const unsigned* W, int N, long long i) {
  const int place = place_of(V, N, W[i]);
  if (place == N) return 1;
  if (X[place] != Y[i]) return 2;
  return i > 0 && Y[i - 1] == Y[i] && W[i - 1] >= W[i] ? 3 : 0;
}

// A thread a value, of which a place has `size`.
extern "C" __global__ void judge_values(const Key* X, const unsigned* V, const Key* Y, const unsigned* W, int N, int size,
                                        const long long* index, long long count, float* error, int* code) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long j = at / size, within = at % size;
  if (j >= count) return;
  const int found = judged(X, V, Y, W, N, (index == nullptr ? j : index[j]) * size + within);
  if (found != 0) parts::tell_wrong(error + j, code + j, found);
  else if (within == 0) parts::tell_right(error + j, code + j);
}
