// Rung 1, online: the threads of a block share a row, of any length, which is read once.
//
// Idea      while logits go by, a thread keeps the largest so far and the sum of exp(x - largest), which it rescales when
//           the largest grows: one pass instead of three, and coalesced. Threads agree on the largest at the end.
// Parameters THREADS per block; VEC elements per load.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X may have a leading dimension of its own.
// Lacks     loads in flight: the next one is asked for when the last one has been added. Short rows leave a block idle.
#include "row_sums.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
cross_entropy(const DTYPE* __restrict__ X, const int* __restrict__ labels, float* __restrict__ loss,
              float* __restrict__ lse, int V, float smoothing, long long pitch) {
  __shared__ float words[THREADS / 32];
  const long long i = blockIdx.x;
  const DTYPE* x = X + i * pitch;
  RowSums own;
  for (int c = static_cast<int>(threadIdx.x); c < V / VEC; c += THREADS) {
    const Chunk chunk = reinterpret_cast<const Chunk*>(x)[c];
    float numbers[VEC];
    chunk.each([&](int e, float value) { numbers[e] = value; });
    own.add(numbers);
  }
  const RowSums row = over_threads<THREADS>(own, words);
  if (threadIdx.x == 0) write_loss(row, x, labels[i], V, smoothing, loss + i, lse + i);
}
