// Rung 1, row_per_block: the threads of a block share one row, of any length, and read only what it sees.
//
// Idea      neighbouring threads read neighbouring vectors; the largest element and the sum are combined by shuffles.
//           Vectors beyond the diagonal are not read, only written: a square matrix moves three quarters of what
//           softmax moves. What is seen is read three times, mostly from the caches after the first.
// Parameters THREADS per block; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     one read of memory: rows that fit into registers need not be read again (next rung).
// Gained    over naive, 4096 x 4096 bf16 on emu:h200: 18.8 us modelled instead of 474.
#include "common/rows/row_reduce.cuh"
#include "seen.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
causal_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, long long pitch_x, long long pitch_y) {
  __shared__ float words[THREADS / 32];
  const int row = static_cast<int>(blockIdx.x), seen = seen_by(row, M, N);
  const auto* x = reinterpret_cast<const Chunk*>(X + row * pitch_x);
  auto* y = reinterpret_cast<Chunk*>(Y + row * pitch_y);
  const int chunks = (seen + VEC - 1) / VEC;  // that are seen at least in part
  const auto each = [&](auto visit) {
#pragma unroll UNROLL
    for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
      Chunk chunk = x[i];
      mask(chunk, i, seen);
      visit(i, chunk);
    }
  };

  float largest = -infinity();  // fmaxf passes over NaN; x - largest does not, and poisons the sum
  each([&](int, const Chunk& chunk) { chunk.each([&](int, float value) { largest = fmaxf(largest, value); }); });
  largest = over_row<THREADS>(largest, words, Larger());

  float sum = 0.0f;
  each([&](int, const Chunk& chunk) {
    float part = 0.0f;  // many additions one after the other lose digits: a chunk at a time
    chunk.each([&](int, float value) { part += exp_below(value, largest); });
    sum += part;
  });
  const float factor = 1.0f / over_row<THREADS>(sum, words, Sum());

  each([&](int i, const Chunk& chunk) { y[i] = weights_of(chunk, i, seen, largest, factor); });
  Chunk zeros;
  zeros.set([](int) { return 0.0f; });
  for (int i = chunks + static_cast<int>(threadIdx.x); i < N / VEC; i += THREADS) y[i] = zeros;
}
