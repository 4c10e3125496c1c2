// Rung 2, row_tile: LANES threads share a row, a block has several, and each row is read once.
//
// Idea      numbers stay in registers as they came, 16-bit types two to a register, through all three passes: largest
//           element, sum of exponentials, difference. One exponential an element, by ex2; one logarithm a thread.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
// Lacks     longer rows: see online and cluster.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
log_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int M, int N, long long pitch_x, long long pitch_y) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile x;
  x.load(X + row * pitch_x, chunks, lane, -infinity());

  float largest = -infinity();  // fmaxf passes over NaN; x - largest does not, and poisons the sum
  x.each([&](int, float value) { largest = fmaxf(largest, value); });
  largest = over_row<LANES>(largest, words, Larger());
  float sum = 0.0f;
  x.each([&](int, float value) { sum += exp_below(value, largest); });
  const float logarithm = logf(over_row<LANES>(sum, words, Sum()));
  // Not x - (largest + logarithm): that sum would be rounded to the digits of a large element.
  x.store_map(Y + row * pitch_y, chunks, lane, [&](float value) { return value - largest - logarithm; });
}
