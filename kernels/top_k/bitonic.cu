// Rung 1, bitonic: the best so far and a chunk of the row are sorted together, again and again.
//
// Idea       a network of comparisons in shared memory: HELD keys, of which the first K are kept. Elements that are not
//            larger than the K-th so far are not even put there: a chunk without any costs no sort.
// Parameters THREADS of a block, which has a row; HELD keys.
// Expects    K <= HELD / 2.
// Lacks      a way not to sort: log2(HELD)^2 / 2 steps with a barrier each.
#include "sorted.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
bitonic(const DTYPE* __restrict__ X, DTYPE* __restrict__ values, int* __restrict__ indices, int N, int K) {
  __shared__ Key keys[HELD];
  const DTYPE* row = X + static_cast<long long>(blockIdx.x) * N;
  for (int i = static_cast<int>(threadIdx.x); i < HELD; i += THREADS) keys[i] = 0;
  __syncthreads();
  for (int from = 0; from < N; from += HELD - K) {
    const Key least = keys[K - 1];
    bool any = false;
    for (int i = K + static_cast<int>(threadIdx.x); i < HELD; i += THREADS) {
      const int at = from + i - K;
      const Key key = at < N ? key_of(to_float(row[at]), static_cast<unsigned>(at)) : 0;
      keys[i] = key > least ? key : 0;
      any = any || key > least;
    }
    if (__syncthreads_or(any) != 0) sort_falling(keys, HELD);
  }
  write_found(keys, row, values, indices, K);
}
