// Rung 2, row_tile: persistent blocks take row after row; what rows add to dG and dB stays in registers.
//
// Idea      rows of X and dY are read once, for dX and for dG and dB: they stay in registers as they came between the
//           sums of the products and the gradient, and each thread adds up its own columns of all rows that its block
//           takes. Groups of a block add up what they have in shared memory, blocks write their parts, a second launch
//           adds them up: in the same order every time. Gamma stays in registers too. AHEAD: the next row is on its way
//           meanwhile.
// Parameters LANES per row; ROWS per block; ACCESS bytes per load, VEC elements; ROUNDS loads of each tensor; BLOCKS
//           per SM; AHEAD.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), no longer than the tile.
// Lacks     longer rows, whose sums would not fit into the registers of a block: see cluster and row_per_block.
// Gained    over row_per_block, 4096 x 4096 bf16 on emu:h200: 33.9 us modelled instead of 60.7; AHEAD the same.
#include "persistent_rows.cuh"

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
layernorm_backward(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                   const float* __restrict__ mean, const float* __restrict__ rstd, DTYPE* __restrict__ dX,
                   float* __restrict__ parts_of_gamma, float* __restrict__ parts_of_beta, int M, int N,
                   long long pitch_x, long long pitch_dy, long long pitch_dx) {
  extern __shared__ float folded[];
  const Rows rows = {X, dY, G, mean, rstd, dX, M, N, N / VEC, pitch_x, pitch_dy, pitch_dx};
  Sums sums = take_rows(rows, blockIdx.x, gridDim.x, [](Products row) { return row; });
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  over_groups(sums, folded, lane, group);
  if (group != ROWS - 1) return;
  sums.gamma.store(parts_of_gamma + static_cast<long long>(blockIdx.x) * N, N / VEC, lane);
  sums.beta.store(parts_of_beta + static_cast<long long>(blockIdx.x) * N, N / VEC, lane);
}

extern "C" __global__ void __launch_bounds__(512)
sums_of_columns(const float* __restrict__ parts_of_gamma, const float* __restrict__ parts_of_beta,
                float* __restrict__ dG, float* __restrict__ dB, int count, int N) {
  __shared__ float words[512];
  add_up_parts<16>(blockIdx.y == 0 ? parts_of_gamma : parts_of_beta, count, N, blockIdx.y == 0 ? dG : dB, words);
}
