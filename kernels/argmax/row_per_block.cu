// Rung 2, row_per_block: a block a row, VEC elements an access.
//
// Idea       with a whole block on one row and 16 bytes an access a multiprocessor has enough on its way to keep memory busy.
// Parameters THREADS of a block; VEC elements an access.
// Expects    N a multiple of VEC.
// Lacks      long rows shared out over blocks, where there are few of them.
#include "common/rows/order_key.cuh"
#include "common/rows/row_chunk.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
row_per_block(const DTYPE* __restrict__ X, int* __restrict__ indices, int N) {
  __shared__ Key of_warp[THREADS / 32];
  using Chunk = RowChunk<DTYPE, VEC>;
  const Chunk* row = reinterpret_cast<const Chunk*>(X + static_cast<long long>(blockIdx.x) * N);
  float most = -infinity();
  unsigned place = 0xffffffffU;  // none yet
#pragma unroll 4
  for (int c = static_cast<int>(threadIdx.x); c < N / VEC; c += THREADS) {
    const Chunk chunk = row[c];
    chunk.each([&](int e, float x) {
      if (place == 0xffffffffU || (most == most && !(x <= most))) {  // the first, a larger one, or NaN
        most = x;
        place = static_cast<unsigned>(c * VEC + e);
      }
    });
  }
  Key best = place == 0xffffffffU ? 0 : key_of(most, place);
  best = largest_of_warp(best);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int warp = 1; warp < THREADS / 32; ++warp) best = of_warp[warp] > best ? of_warp[warp] : best;
  indices[blockIdx.x] = place_of(best);
}
