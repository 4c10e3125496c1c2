// Rung 3, cluster: the blocks of a cluster share a long row, which is read once and stays in their registers.
//
// Idea      two rows of 32,768 numbers are about what one block's registers hold; CLUSTER blocks hold longer ones
//           together, and exchange their sums through distributed shared memory. Few long rows keep CLUSTER times as
//           many SMs busy.
// Parameters CLUSTER blocks per row; THREADS per block; VEC elements per load.
// Expects   rows of a multiple of VEC elements, at most 64 registers per thread for both; sm_90.
// Lacks     rows beyond that: see row_per_block.
#include "common/rows/row_cluster.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, THREADS>;

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_backward(const DTYPE* __restrict__ Y, const DTYPE* __restrict__ dY, DTYPE* __restrict__ dX, int N,
                 long long pitch_y, long long pitch_dy, long long pitch_dx) {
  __shared__ float words[THREADS / 32];
  __shared__ float sum_of[CLUSTER];
  arrive_in_cluster<CLUSTER>();
  const int rank = static_cast<int>(blockIdx.x) % CLUSTER;
  const int lane = static_cast<int>(threadIdx.x);
  const long long row = blockIdx.x / CLUSTER;
  // A block has a contiguous part of the row.
  constexpr int kPart = ROUNDS * THREADS;
  const int begin = rank * kPart;
  const int left = N / VEC - begin;
  const int chunks = left < 0 ? 0 : left < kPart ? left : kPart;
  const long long at = static_cast<long long>(begin) * VEC;
  Tile y, dy;
  y.load(Y + row * pitch_y + at, chunks, lane, 0.0f);
  dy.load(dY + row * pitch_dy + at, chunks, lane, 0.0f);

  float sum = 0.0f;
  y.each_with(dy, [&](float weight, float gradient) { sum += weight * gradient; });
  wait_for_cluster<CLUSTER>();
  sum = over_cluster<CLUSTER>(over_row<THREADS>(sum, words, Sum()), sum_of, rank, Sum());
  y.store_map(dy, dX + row * pitch_dx + at, chunks, lane,
              [&](float weight, float gradient) { return weight * (gradient - sum); });
}
