// Rung 4, cluster: as row_tile, the blocks of a cluster sharing each row.
//
// Idea      the sums of a long row's columns fill more registers than a block has: CLUSTER blocks hold them together,
//           and exchange their sums of products through distributed shared memory, at one cluster barrier a row. Fewer
//           rows of parts are written, too.
// Parameters CLUSTER blocks per row; LANES threads per block; ACCESS, ROUNDS, BLOCKS and AHEAD as in row_tile.
// Expects   rows of a multiple of VEC elements, no longer than the tiles of a cluster; sm_90.
// Lacks     longer rows: see row_per_block.
// Gained    over row_per_block, 8192 x 32768 bf16 on emu:h200: 380 us modelled instead of 745.
#include "common/rows/persistent_cluster.cuh"
#include "persistent_rows.cuh"

extern "C" __global__ void __launch_bounds__(LANES, BLOCKS)
rmsnorm_backward(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                 const float* __restrict__ rstd, DTYPE* __restrict__ dX, float* __restrict__ parts, int M, int N,
                 long long pitch_x, long long pitch_dy, long long pitch_dx) {
  using Exchange = PersistentCluster<CLUSTER, float>;
  __shared__ float sum_of[Exchange::kSlots];
  arrive_in_cluster<CLUSTER>();
  const int rank = static_cast<int>(blockIdx.x) % CLUSTER;
  // A block has a contiguous part of the row.
  constexpr int kPart = ROUNDS * LANES;
  const int left = N / VEC - rank * kPart;
  const int chunks = left < 0 ? 0 : left < kPart ? left : kPart;
  const long long at = static_cast<long long>(rank) * kPart * VEC;
  const Rows rows = {X + at, dY + at, G + at, rstd, dX + at, M, N, chunks, pitch_x, pitch_dy, pitch_dx};
  wait_for_cluster<CLUSTER>();
  Exchange over_blocks(sum_of, rank);
  const Sums sums = take_rows(rows, blockIdx.x / CLUSTER, gridDim.x / CLUSTER,
                              [&](float sum) { return over_blocks(sum, Sum()); });
  sums.store(parts + static_cast<long long>(blockIdx.x / CLUSTER) * N + at, chunks, static_cast<int>(threadIdx.x));
}

extern "C" __global__ void __launch_bounds__(512)
sums_of_columns(const float* __restrict__ parts, float* __restrict__ dG, int count, int N) {
  __shared__ float words[512];
  add_up_parts<16>(parts, count, N, dG, words);
}
