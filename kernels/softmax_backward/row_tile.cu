// Rung 2, row_tile: LANES threads share a row, a block has several, and each row is read once.
//
// Idea      both rows stay in registers as they came, 16-bit types two to a register, between the sum of the products
//           and the difference: two reads and one write of memory. All loads of both tiles are in flight together.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 registers per thread for both.
// Lacks     longer rows: see row_per_block and cluster.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
softmax_backward(const DTYPE* __restrict__ Y, const DTYPE* __restrict__ dY, DTYPE* __restrict__ dX, int M, int N,
                 long long pitch_y, long long pitch_dy, long long pitch_dx) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile y, dy;
  y.load(Y + row * pitch_y, chunks, lane, 0.0f);
  dy.load(dY + row * pitch_dy, chunks, lane, 0.0f);

  float sum = 0.0f;
  y.each_with(dy, [&](float weight, float gradient) { sum += weight * gradient; });
  sum = over_row<LANES>(sum, words, Sum());
  y.store_map(dy, dX + row * pitch_dx, chunks, lane,
              [&](float weight, float gradient) { return weight * (gradient - sum); });
}
