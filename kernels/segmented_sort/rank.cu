// Rung 0, rank: a thread a key, which counts those of its segment that come before it.
//
// Idea       so many places after the segment's first is where the key belongs; of equal keys the one that stood first comes
//            first. Neighbours read the same keys: one sector of 8 keys serves a warp.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      work that grows like N: a key costs as much as its segment is long, and a warp as much as its longest one.

/// The segment that holds key i, by bisection.
__device__ __forceinline__ int segment_of(const int* __restrict__ starts, int G, int i) {
  int low = 0, high = G;  // starts[low] <= i < starts[high]
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (starts[middle] <= i) low = middle;
    else high = middle;
  }
  return low;
}

extern "C" __global__ void __launch_bounds__(THREADS)
rank(const unsigned* __restrict__ X, const int* __restrict__ starts, unsigned* __restrict__ Y, int N, int G) {
  const long long at = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (at >= N) return;
  const int i = static_cast<int>(at), segment = segment_of(starts, G, i);
  const int begin = starts[segment], end = starts[segment + 1];
  const unsigned key = X[i];
  int before = 0;
#pragma unroll 4
  for (int j = begin; j < end; ++j) before += X[j] < key || (X[j] == key && j < i);
  Y[begin + before] = key;
}
