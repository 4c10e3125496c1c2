// Rung 5, cluster: the blocks of a cluster share a long row, which is read once and stays in their registers.
//
// Idea      a row of 65,536 numbers and more is too much for one block's registers; CLUSTER blocks hold it together, and
//           exchange their largest element and their sum through distributed shared memory. Few long rows keep
//           CLUSTER times as many SMs busy.
// Parameters CLUSTER blocks per row; THREADS per block; VEC elements per load; KEEP as in row_tile.
// Expects   rows of a multiple of VEC elements, at most 64 elements per thread; sm_90.
// Lacks     rows beyond 64 CLUSTER THREADS elements: see online.
#include "common/rows/row_cluster.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, THREADS>;

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N) {
  __shared__ float words[THREADS / 32];
  __shared__ float largest_of[CLUSTER], sum_of[CLUSTER];
  arrive_in_cluster<CLUSTER>();
  const int rank = static_cast<int>(blockIdx.x) % CLUSTER;
  const int lane = static_cast<int>(threadIdx.x);
  const long long row = static_cast<long long>(blockIdx.x / CLUSTER) * N;
  // A block has a contiguous part of the row.
  const int part = ROUNDS * THREADS;
  const int begin = rank * part;
  const int left = N / VEC - begin;
  const int chunks = left < 0 ? 0 : left < part ? left : part;
  const long long at = row + static_cast<long long>(begin) * VEC;
  Tile x;
  x.load(X + at, chunks, lane, -infinity());

  float largest = -infinity();
  x.each([&](int, float value) { largest = fmaxf(largest, value); });
  wait_for_cluster<CLUSTER>();
  largest = over_cluster<CLUSTER>(over_row<THREADS>(largest, words, Larger()), largest_of, rank, Larger());

  float powers[KEEP ? Tile::kElements : 1], sum = 0.0f;
  x.each([&](int place, float value) {
    const float power = exp_below(value, largest);
    if (KEEP) powers[place] = power;
    sum += power;
  });
  const float total = over_cluster<CLUSTER>(over_row<THREADS>(sum, words, Sum()), sum_of, rank, Sum());
  const float factor = 1.0f / total;
  if constexpr (KEEP) Tile::store(Y + at, chunks, lane, [&](int place) { return powers[place] * factor; });
  else x.store_map(Y + at, chunks, lane, [&](float value) { return exp_below(value, largest) * factor; });
}
