// Rung 0, naive: a thread a row, or a column.
//
// Idea      the definition. Of columns neighbours read neighbours; of rows each lane of a warp reads another row, a sector for
//           each element.
// Parameters THREADS a block.
// Expects   anything.
// Lacks     threads: as many as there are results, each with one load on its way.
#include "common/reduction.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) reduce(const DTYPE* __restrict__ X, Number* __restrict__ Y, int M, int N) {
  const int i = static_cast<int>(blockIdx.x * THREADS + threadIdx.x);
  if (i >= (COLUMNS ? N : M)) return;
  const DTYPE* x = COLUMNS ? X + i : X + static_cast<long long>(i) * N;
  const long long step = COLUMNS ? N : 1;
  Number own = nothing();
  for (int k = 0; k < (COLUMNS ? M : N); ++k) own = combine(own, number_of(x[k * step]));
  Y[i] = own;
}
