// Rung 4, online: a row of any length, read twice: largest element and sum come in one pass.
//
// Idea      while numbers go by, a thread keeps the largest so far and the sum of exp(x - largest); when the largest
//           grows, the sum is rescaled (Milakov and Gimelshein 2018). Two passes over a row instead of three, and
//           nothing of it is kept: the second pass finds short rows in the cache.
// Parameters THREADS per block, one row each; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory for rows that the caches do not hold: see cluster.
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N) {
  __shared__ float words[THREADS / 32];
  const long long row = static_cast<long long>(blockIdx.x) * N;
  const auto* x = reinterpret_cast<const Chunk*>(X + row);
  auto* y = reinterpret_cast<Chunk*>(Y + row);
  const int chunks = N / VEC;

  float largest = -infinity(), sum = 0.0f;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i];
    float larger = largest;
    chunk.each([&](int, float value) { larger = fmaxf(larger, value); });
    // A sum of nothing stays 0 where all so far is -inf; NaN in the chunk poisons it below.
    sum = larger == largest ? sum : sum * exp_below(largest, larger);
    chunk.each([&](int, float value) { sum += value == -infinity() ? 0.0f : exp_below(value, larger); });
    largest = larger;
  }
  const float all = over_row<THREADS>(largest, words, Larger());
  const float share = largest == -infinity() ? sum : sum * exp_below(largest, all);
  const float total = over_row<THREADS>(share, words, Sum());
  const float factor = 1.0f / total;  // of a row that is -inf throughout 1 / 0, and exp_below is NaN

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    Chunk chunk = x[i], result;
    float powers[VEC];
    chunk.each([&](int e, float value) { powers[e] = exp_below(value, all) * factor; });
    result.set([&](int e) { return powers[e]; });
    y[i] = result;
  }
}
