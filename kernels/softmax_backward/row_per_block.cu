// Rung 1, row_per_block: the threads of a block share one row, of any length, which is read twice.
//
// Idea      neighbouring threads read neighbouring chunks of up to 16 bytes; the products are added up by shuffles. The
//           second pass finds short rows in the cache.
// Parameters THREADS per block; VEC elements per load; UNROLL loads of each tensor in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: rows that fit into registers need not be read again (next rungs).
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_backward(const DTYPE* __restrict__ Y, const DTYPE* __restrict__ dY, DTYPE* __restrict__ dX, int N,
                 long long pitch_y, long long pitch_dy, long long pitch_dx) {
  __shared__ float words[THREADS / 32];
  const long long row = blockIdx.x;
  const auto* y = reinterpret_cast<const Chunk*>(Y + row * pitch_y);
  const auto* dy = reinterpret_cast<const Chunk*>(dY + row * pitch_dy);
  auto* dx = reinterpret_cast<Chunk*>(dX + row * pitch_dx);
  const int chunks = N / VEC;

  float sum = 0.0f;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk weight = y[i], gradient = dy[i];
    float weights[VEC], part = 0.0f;  // many additions one after the other lose digits: a chunk at a time
    weight.each([&](int e, float value) { weights[e] = value; });
    gradient.each([&](int e, float value) { part += weights[e] * value; });
    sum += part;
  }
  sum = over_row<THREADS>(sum, words, Sum());

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk weight = y[i], gradient = dy[i];
    float weights[VEC];
    weight.each([&](int e, float value) { weights[e] = value; });
    gradient.each([&](int e, float value) { weights[e] *= value - sum; });
    Chunk result;
    result.set([&](int e) { return weights[e]; });
    dx[i] = result;
  }
}
