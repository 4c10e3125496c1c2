// Rung 3, atomics: as row_tile, but each block adds its sums to dG by atomics.
//
// Idea      no parts in memory, and no launch behind the large one: dG is set to 0 before it, and the L2 cache adds up.
//           The order is another one in each run, and with it the last bits of dG; dX has the same bits every time.
// Parameters as row_tile.
// Expects   as row_tile.
// Lacks     the same bits every time: for training runs that must be repeated take row_tile.
// Gained    nothing in the model: 4096 x 4096 bf16 on emu:h200 takes 33.8 us instead of 32.8. Zeros take 3.8 where
//           parts were added up in 5.4, but rows 30.0 instead of 27.4.
#include "persistent_rows.cuh"

extern "C" __global__ void __launch_bounds__(256) zeros(float* __restrict__ dG, int N) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i < N) dG[i] = 0.0f;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS, BLOCKS)
rmsnorm_backward(const DTYPE* __restrict__ X, const DTYPE* __restrict__ dY, const DTYPE* __restrict__ G,
                 const float* __restrict__ rstd, DTYPE* __restrict__ dX, float* __restrict__ dG, int M, int N,
                 long long pitch_x, long long pitch_dy, long long pitch_dx) {
  extern __shared__ float folded[];
  const Rows rows = {X, dY, G, rstd, dX, M, N, N / VEC, pitch_x, pitch_dy, pitch_dx};
  Sums sums = take_rows(rows, blockIdx.x, gridDim.x, [](float sum) { return sum; });
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  sums.over_groups<ROWS>(folded, lane, group);
  if (group == ROWS - 1) sums.add_to(dG, N / VEC, lane);
}
