// Rung 2, row_tile: LANES threads share a row, a block has several, and each row is read once.
//
// Idea      numbers stay in registers as they came, 16-bit types two to a register, between the sum of the squares and
//           the product with gamma: one read and one write of memory. All loads of a tile are in flight together; gamma
//           comes from the cache.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
// Lacks     longer rows: see row_per_block.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
rmsnorm(const DTYPE* __restrict__ X, const DTYPE* __restrict__ G, DTYPE* __restrict__ Y, int M, int N, float epsilon) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x % LANES);
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile x;
  x.load(X + row * N, chunks, lane, 0.0f);

  float squares = 0.0f;
  x.each([&](int, float value) { squares += value * value; });
  const float factor = rsqrt_fast(over_row<LANES>(squares, words, Sum()) / static_cast<float>(N) + epsilon);
  x.store_map(G, Y + row * N, chunks, lane, [&](float value, float gamma) { return value * factor * gamma; });
}
