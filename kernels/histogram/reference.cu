// What H should be: before the reference all numbers are counted, of each warp's equal ones at once.
#include "common/types.cuh"

extern "C" __global__ void forget(unsigned* counts, int BINS) {
  const int bin = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (bin < BINS) counts[bin] = 0;
}

extern "C" __global__ void __launch_bounds__(1024) count_all(const DTYPE* X, long long N, unsigned* counts) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const long long first = 1024LL * blockIdx.x + threadIdx.x - lane;
  for (long long warp = first; warp < N; warp += 1024LL * gridDim.x) {
    const bool inside = warp + lane < N;
    const unsigned lanes = __ballot_sync(0xffffffffU, inside);
    if (!inside) continue;
    const unsigned x = X[warp + lane];
    const unsigned same = __match_any_sync(lanes, x);
    if (lane == __ffs(static_cast<int>(same)) - 1) atomicAdd(counts + x, static_cast<unsigned>(__popc(same)));
  }
}

// One bin for each index. Number j is index[j], or j when index is null.
extern "C" __global__ void reference(const unsigned* counts, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  value[j] = counts[index == nullptr ? j : index[j]];
  scale[j] = 0;
}
