// Rung 3, cluster: the blocks of a cluster share a long row, which is read once and stays in their registers.
//
// Idea      a row of 65,536 numbers and more is too much for one block's registers; CLUSTER blocks hold it together, and
//           exchange their largest element and their sum through distributed shared memory. Few long rows keep
//           CLUSTER times as many SMs busy.
// Parameters CLUSTER blocks per row; THREADS per block; VEC elements per load.
// Expects   rows of a multiple of VEC elements, at most 64 elements per thread; sm_90.
// Lacks     rows beyond 64 CLUSTER THREADS elements: see online.
#include "common/rows/row_cluster.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, THREADS>;

extern "C" __global__ void __launch_bounds__(THREADS)
log_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N, long long pitch_x, long long pitch_y) {
  __shared__ float words[THREADS / 32];
  __shared__ float largest_of[CLUSTER], sum_of[CLUSTER];
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
  Tile x;
  x.load(X + row * pitch_x + at, chunks, lane, -infinity());

  float largest = -infinity();
  x.each([&](int, float value) { largest = fmaxf(largest, value); });
  wait_for_cluster<CLUSTER>();
  largest = over_cluster<CLUSTER>(over_row<THREADS>(largest, words, Larger()), largest_of, rank, Larger());
  float sum = 0.0f;
  x.each([&](int, float value) { sum += exp_below(value, largest); });
  const float logarithm = logf(over_cluster<CLUSTER>(over_row<THREADS>(sum, words, Sum()), sum_of, rank, Sum()));
  x.store_map(Y + row * pitch_y + at, chunks, lane, [&](float value) { return value - largest - logarithm; });
}
