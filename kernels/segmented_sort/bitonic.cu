// Rung 1, bitonic: a block a segment, which goes through a network of comparisons in shared memory.
//
// Idea       runs of twice the length come from two runs: the first is compared with the second backwards, then what lies a
//            half, a quarter ... of it apart. Every comparison puts the smaller key first, so that keys beyond the end need
//            not be there. A segment longer than HELD goes through the same network where it stands in y.
// Parameters THREADS of a block; HELD keys in shared memory.
// Expects    segments of up to HELD keys; longer ones are right, and slow.
// Lacks      blocks that share a long segment, warps that have a short one by themselves.

struct Pair {
  int low, high;
};
/// Comparison number c of those that mirror runs of `size`, or of those `apart`.
__device__ __forceinline__ Pair mirrored(int c, int size) {
  const int half = size / 2, run = c / half * size, at = c % half;
  return {run + at, run + size - 1 - at};
}
__device__ __forceinline__ Pair spaced(int c, int apart) {
  const int low = c / apart * 2 * apart + c % apart;
  return {low, low + apart};
}

__device__ __forceinline__ void put_in_order(unsigned* keys, Pair pair, int length) {
  if (pair.high >= length) return;
  const unsigned low = keys[pair.low], high = keys[pair.high];
  if (low <= high) return;
  keys[pair.low] = high;
  keys[pair.high] = low;
}

__device__ __forceinline__ void sort(unsigned* keys, int length) {
  const int t = static_cast<int>(threadIdx.x);
  for (int size = 2; size / 2 < length; size *= 2) {
    const int comparisons = (length + size - 1) / size * (size / 2);
    for (int c = t; c < comparisons; c += THREADS) put_in_order(keys, mirrored(c, size), length);
    __syncthreads();
    for (int apart = size / 4; apart > 0; apart /= 2) {
      for (int c = t; c < comparisons; c += THREADS) put_in_order(keys, spaced(c, apart), length);
      __syncthreads();
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
bitonic(const unsigned* __restrict__ X, const int* __restrict__ starts, unsigned* Y) {
  __shared__ unsigned held[HELD];
  const int begin = starts[blockIdx.x], length = starts[blockIdx.x + 1] - begin;
  unsigned* keys = length <= HELD ? held : Y + begin;
  for (int i = static_cast<int>(threadIdx.x); i < length; i += THREADS) keys[i] = X[begin + i];
  __syncthreads();
  sort(keys, length);
  if (length > HELD) return;
  for (int i = static_cast<int>(threadIdx.x); i < length; i += THREADS) Y[begin + i] = held[i];
}
