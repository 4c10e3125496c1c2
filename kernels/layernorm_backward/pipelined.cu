// Rung 5, pipelined: as cluster, fed by a ring that bulk copies fill.
//
// Idea      the sums of a long row's columns take half of an SM's registers, or all: what a thread has left holds no row
//           that comes, and with one block an SM nobody loads while that block reduces. Here rows of X and dY come to
//           shared memory, past the registers: they are read there twice, for the products and for the gradient, by
//           accesses of 16 bytes, and no register holds them in between. Their places are filled again once all threads
//           have come to the next row's only barrier. A block has all of a row of 16384 bf16 by itself; of longer rows the
//           blocks of a cluster have parts. The next row's mean and rstd are on their way, too.
// Parameters CLUSTER blocks and LANES threads of each per row; ROWS per block; ROUNDS accesses of each tensor; STAGES;
//           BLOCKS an SM; KEEP: gamma stays in registers, else it is read from the L1 cache.
// Expects   sm_90; rows of whole 16 bytes that fit the stages.
// Lacks     longer rows: see row_per_block.
// Should gain bf16 on emu:h200: 16384 x 16384 402 us modelled (cluster measured 573), 8192 x 32768 with CLUSTER = 2 412
//           (row_per_block measured 734); DRAM is busy 91 to 93 % of the time, the schedulers 45 to 50.
// Measured on H200, bf16, in the same rounds: 16384 x 16384 408 us, 3.95 TB/s (cluster 578); 8192 x 32768 477 us (row_per_block
//           733); 32768 x 4096 197 us and 65536 x 1024 104 us (row_tile 205, 107).
#include "common/rows/column_sums.cuh"
#include "common/rows/persistent_cluster.cuh"
#include "common/rows/row_reduce_once.cuh"
#include "common/rows/row_ring.cuh"
#include "common/rows/row_tile.cuh"
#include "gradient.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;
using Sums = ColumnSums<VEC, ROUNDS, LANES>;
constexpr int kWidth = ROUNDS * LANES * VEC;
using Ring = RowRing<DTYPE, STAGES, ROWS, kWidth, 2, 1>;

/// What the forward pass kept of a row; 0 of one that is not there.
struct Kept {
  float mean, rstd;
};
__device__ __forceinline__ Kept kept_of(const float* mean, const float* rstd, long long row, int M) {
  if (row >= M) return {0.0f, 0.0f};
  return {mean[row], rstd[row]};
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
layernorm_backward(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                   const float* __restrict__ mean, const float* __restrict__ rstd, DTYPE* __restrict__ dX,
                   float* __restrict__ parts_of_gamma, float* __restrict__ parts_of_beta, int M, int N,
                   long long pitch_x, long long pitch_dy, long long pitch_dx) {
  using Exchange = PersistentCluster<CLUSTER, Products>;
  extern __shared__ __align__(128) unsigned char slots[];
  __shared__ Mbarrier full[STAGES];
  __shared__ Products words[2][LANES * ROWS / 32];
  __shared__ Products products_of_block[Exchange::kSlots];
  arrive_in_cluster<CLUSTER>();
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  const int rank = static_cast<int>(blockIdx.x) % CLUSTER;
  // A block has a contiguous part of the row.
  const int left = N / VEC - rank * (ROUNDS * LANES);
  const int part = left < 0 ? 0 : left < ROUNDS * LANES ? left : ROUNDS * LANES;
  const long long at = static_cast<long long>(rank) * kWidth;
  Ring ring = {reinterpret_cast<DTYPE*>(slots), full, {{X + at, pitch_x}, {dY + at, pitch_dy}}, M,
               static_cast<unsigned>(part * 16), blockIdx.x / CLUSTER, gridDim.x / CLUSTER};
  ring.begin();
  wait_for_cluster<CLUSTER>();
  Exchange over_blocks(products_of_block, rank);
  Tile kept_gamma;
  if (KEEP) kept_gamma.load(G + at, part, lane, 0.0f);
  const auto gamma = [&](int r) {
    return KEEP ? kept_gamma.chunks[r] : reinterpret_cast<const Chunk*>(G + at)[lane + r * LANES];
  };
  Sums sums_of_gamma, sums_of_beta;

  Kept next = kept_of(mean, rstd, ring.row(group), M);
  for (int odd = 0; ring.has_rows(); ring.advance(), odd ^= 1) {
    const long long row = ring.row(group);
    const int chunks = row < M ? part : 0;  // a row that is not there takes part in the shuffles
    const Kept own = next;
    next = kept_of(mean, rstd, row + static_cast<long long>(ring.step) * ROWS, M);
    ring.wait();
    const Chunk *x = reinterpret_cast<const Chunk*>(ring.at(group, 0)), *dy = reinterpret_cast<const Chunk*>(ring.at(group, 1));
    Products products;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r)
      if (lane + r * LANES < chunks)
        products = AddProducts()(products, products_of(x[lane + r * LANES], dy[lane + r * LANES], gamma(r), own.mean));
    products = over_row_once<LANES>(products, words[odd], AddProducts());
    ring.refill();
    if constexpr (CLUSTER > 1) products = over_blocks(products, AddProducts());
    const Line line = line_of(products, own.rstd, N);

    auto* dx = reinterpret_cast<Chunk*>(dX + row * pitch_dx + at);
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r)
      if (lane + r * LANES < chunks)
        dx[lane + r * LANES] = gradient_of(x[lane + r * LANES], dy[lane + r * LANES], gamma(r), own.mean, own.rstd,
                                           line, [&](int e, float gradient, float scaled, float apart) {
                                             sums_of_gamma.at[r * VEC + e] += scaled * apart;
                                             sums_of_beta.at[r * VEC + e] += gradient;
                                           });
  }

  float* folded = reinterpret_cast<float*>(slots);  // all that was asked for has come, and been read
  if (ROWS > 1) __syncthreads();
  sums_of_gamma.over_groups<ROWS>(folded, lane, group);
  if (ROWS > 1) __syncthreads();  // the last group may still read the words
  sums_of_beta.over_groups<ROWS>(folded, lane, group);
  if (group != ROWS - 1) return;
  const long long parts = static_cast<long long>(blockIdx.x / CLUSTER) * N + at;
  sums_of_gamma.store(parts_of_gamma + parts, part, lane);
  sums_of_beta.store(parts_of_beta + parts, part, lane);
}

extern "C" __global__ void __launch_bounds__(512)
sums_of_columns(const float* __restrict__ parts_of_gamma, const float* __restrict__ parts_of_beta,
                float* __restrict__ dG, float* __restrict__ dB, int count, int N) {
  __shared__ float words[512];
  add_up_parts<16>(blockIdx.y == 0 ? parts_of_gamma : parts_of_beta, count, N, blockIdx.y == 0 ? dG : dB, words);
}
