// Rung 2, row_tile: LANES threads share a row, a block has several, and each row is read once.
//
// Idea      numbers stay in registers as they came, so that mean and variance about it take two passes over registers
//           and none over memory. Sum and sum of squares in one pass would save a reduction, and lose all digits of a
//           variance that is small beside the mean: tests/mutants/layernorm/one_pass.patch is that kernel, and the check
//           rejects it at a mean of 10^4.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
// Lacks     longer rows: see row_per_block.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
layernorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, const DTYPE* __restrict__ B, DTYPE* __restrict__ Y,
          int M, int N, float epsilon) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x % LANES);
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile x;
  x.load(X + row * N, chunks, lane, 0.0f);

  float sum = 0.0f;
  x.each([&](int, float value) { sum += value; });
  const float mean = over_row<LANES>(sum, words, Sum()) / static_cast<float>(N);
  float squares = 0.0f;
  x.each_within(chunks, lane, [&](float value) { squares += (value - mean) * (value - mean); });
  const float factor = rsqrt_fast(over_row<LANES>(squares, words, Sum()) / static_cast<float>(N) + epsilon);
  const float shift = -mean * factor;
  x.store_map(G, B, Y + row * N, chunks, lane,
              [&](float value, float gamma, float beta) { return fmaf(fmaf(value, factor, shift), gamma, beta); });
}
