// Rung 1, online: a row of any length, read twice: largest element and sum come in one pass.
//
// Idea      while numbers go by, a thread keeps the largest so far and the sum of exp(x - largest); when the largest
//           grows, the sum is rescaled. Two passes over a row instead of three, by all threads of a block, in chunks
//           of up to 16 bytes; the second pass finds short rows in the cache, and has no exponential.
// Parameters THREADS per block, one row each; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: rows that fit into registers need not be read again (next rungs).
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
log_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N, long long pitch_x, long long pitch_y) {
  __shared__ float words[THREADS / 32];
  const long long row = blockIdx.x;
  const auto* x = reinterpret_cast<const Chunk*>(X + row * pitch_x);
  auto* y = reinterpret_cast<Chunk*>(Y + row * pitch_y);
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
  const float logarithm = logf(over_row<THREADS>(share, words, Sum()));

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i];
    float results[VEC];
    // Not x - (all + logarithm): that sum would be rounded to the digits of a large element.
    chunk.each([&](int e, float value) { results[e] = value - all - logarithm; });
    Chunk result;
    result.set([&](int e) { return results[e]; });
    y[i] = result;
  }
}
