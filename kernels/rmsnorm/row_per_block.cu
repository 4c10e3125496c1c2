// Rung 1, row_per_block: the threads of a block share one row, of any length, and read it twice.
//
// Idea      neighbouring threads read neighbouring vectors; squares are added up by shuffles. The second pass finds rows
//           that the caches hold there.
// Parameters THREADS per block; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: rows that fit into registers need not be read again (next rung).
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, DTYPE* __restrict__ Y, int N, float epsilon) {
  __shared__ float words[THREADS / 32];
  const long long row = static_cast<long long>(blockIdx.x) * N;
  const auto* x = reinterpret_cast<const Chunk*>(X + row);
  const auto* g = reinterpret_cast<const Chunk*>(G);
  auto* y = reinterpret_cast<Chunk*>(Y + row);
  const int chunks = N / VEC;

  float squares = 0.0f;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    float part = 0.0f;  // many additions one after the other lose digits: a chunk at a time
    const Chunk chunk = x[i];
    chunk.each([&](int, float value) { part += value * value; });
    squares += part;
  }
  const float factor = rsqrt_fast(over_row<THREADS>(squares, words, Sum()) / static_cast<float>(N) + epsilon);

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i], gamma = g[i];
    float product[VEC];
    chunk.each([&](int e, float value) { product[e] = value * factor; });
    gamma.each([&](int e, float value) { product[e] *= value; });
    Chunk result;
    result.set([&](int e) { return product[e]; });
    y[i] = result;
  }
}
