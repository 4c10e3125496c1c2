// Rung 3, atomics: as row_tile, but each block adds its sums to dG and dB by atomics.
//
// Idea      no parts in memory, and no launch behind the large one: dG and dB are set to 0 before it, and the L2 cache
//           adds up. The order is another one in each run, and with it the last bits of dG and dB; dX has the same bits
//           every time.
// Parameters as row_tile.
// Expects   as row_tile.
// Lacks     the same bits every time: for training runs that must be repeated take row_tile.
// Gained    nothing in the model: 4096 x 4096 bf16 on emu:h200 takes 37.1 us instead of 33.9. Zeros take 3.8 where
//           parts were added up in 5.5, but rows 33.2 instead of 28.4.
#include "persistent_rows.cuh"

extern "C" __global__ void __launch_bounds__(256) zeros(float* __restrict__ dG, float* __restrict__ dB, int N) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i < N) dG[i] = dB[i] = 0.0f;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
layernorm_backward(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                   const float* __restrict__ mean, const float* __restrict__ rstd, DTYPE* __restrict__ dX,
                   float* __restrict__ dG, float* __restrict__ dB, int M, int N, long long pitch_x, long long pitch_dy,
                   long long pitch_dx) {
  extern __shared__ float folded[];
  const Rows rows = {X, dY, G, mean, rstd, dX, M, N, N / VEC, pitch_x, pitch_dy, pitch_dx};
  Sums sums = take_rows(rows, blockIdx.x, gridDim.x, [](Products row) { return row; });
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  over_groups(sums, folded, lane, group);
  if (group != ROWS - 1) return;
  sums.gamma.add_to(dG, N / VEC, lane);
  sums.beta.add_to(dB, N / VEC, lane);
}
