// Rung 3, row_tile: LANES threads share a row, a block has several rows, and each exponential is computed once.
//
// Idea      short rows leave a block of one row idle; here a row has as many threads as it can feed. Numbers of 16 bits
//           lie two to a register as they came. With KEEP the exponentials stay in registers until the sum is known:
//           one an element; without it they are computed twice, and as many numbers of 16 bits take a third of the
//           registers, so that more rows are on their way. exp(x - max) is ex2((x - max) log2 e).
// Parameters LANES per row; ROWS per block; VEC elements per load; KEEP. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
// Lacks     longer rows: see online and cluster.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N) {
  __shared__ float words[LANES * ROWS / 32 + 1];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile x;
  x.load(X + row * N, chunks, lane, -infinity());

  float largest = -infinity();  // fmaxf passes over NaN; x - largest does not, and poisons the sum
  x.each([&](int, float value) { largest = fmaxf(largest, value); });
  largest = over_row<LANES>(largest, words, Larger());

  float powers[KEEP ? Tile::kElements : 1], sum = 0.0f;
  x.each([&](int place, float value) {
    const float power = exp_below(value, largest);
    if (KEEP) powers[place] = power;
    sum += power;
  });
  const float factor = 1.0f / over_row<LANES>(sum, words, Sum());
  if constexpr (KEEP) Tile::store(Y + row * N, chunks, lane, [&](int place) { return powers[place] * factor; });
  else x.store_map(Y + row * N, chunks, lane, [&](float value) { return exp_below(value, largest) * factor; });
}
