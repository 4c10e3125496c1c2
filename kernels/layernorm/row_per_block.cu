// Rung 1, row_per_block: the threads of a block share one row, of any length; mean and variance come in one pass.
//
// Idea      each chunk's mean and squares about it are merged into the thread's (Welford, one chunk at a time), those of
//           threads by shuffles: no difference of large sums, whatever the mean. The row is read twice, the second time
//           from the cache where that holds it.
// Parameters THREADS per block; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: rows that fit into registers need not be read again (next rung).
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

__device__ __forceinline__ Moments moments_of(const Chunk& chunk) {
  float sum = 0.0f, squares = 0.0f;
  chunk.each([&](int, float value) { sum += value; });
  const float mean = sum / VEC;
  chunk.each([&](int, float value) { squares += (value - mean) * (value - mean); });
  return {VEC, mean, squares};
}

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, const DTYPE* __restrict__ B, DTYPE* __restrict__ Y,
          int N, float epsilon) {
  __shared__ Moments words[THREADS / 32];
  const long long row = static_cast<long long>(blockIdx.x) * N;
  const auto* x = reinterpret_cast<const Chunk*>(X + row);
  const auto* g = reinterpret_cast<const Chunk*>(G);
  const auto* b = reinterpret_cast<const Chunk*>(B);
  auto* y = reinterpret_cast<Chunk*>(Y + row);
  const int chunks = N / VEC;

  Moments own;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) own = MergeMoments()(own, moments_of(x[i]));
  const Moments all = over_row<THREADS>(own, words, MergeMoments());
  const float factor = rsqrt_fast(all.squares / static_cast<float>(N) + epsilon);
  const float shift = -all.mean * factor;

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i], gamma = g[i], beta = b[i];
    float product[VEC], factors[VEC];
    chunk.each([&](int e, float value) { product[e] = fmaf(value, factor, shift); });
    gamma.each([&](int e, float value) { factors[e] = value; });
    beta.each([&](int e, float value) { product[e] = fmaf(product[e], factors[e], value); });
    Chunk result;
    result.set([&](int e) { return product[e]; });
    y[i] = result;
  }
}
