// Rung 2, row_tile: LANES threads share a row, a block has several, and each row is read once.
//
// Idea      the sum stays in registers as it is written, 16-bit types two to a register, between the sum of its squares and
//           the product with gamma: two reads and two writes of memory. All loads of both tiles are in flight together;
//           the residual is on its way back while the squares are added up; gamma comes from the cache.
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 registers per thread for both rows.
// Lacks     longer rows: see row_per_block.
// Gained    over row_per_block, 4096 x 4096 bf16 on emu:h200: 32.9 us modelled instead of 34.1.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"
#include "sum.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
add_rmsnorm(const DTYPE* __restrict__ X, DTYPE* __restrict__ R, const DTYPE* __restrict__ G, DTYPE* __restrict__ Y, int M,
            int N, float epsilon, long long pitch_x, long long pitch_r, long long pitch_y) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x % LANES);
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const int chunks = row < M ? N / VEC : 0;  // a row that is not there takes part in the shuffles
  Tile x, r;
  x.load(X + row * pitch_x, chunks, lane, 0.0f);
  r.load(R + row * pitch_r, chunks, lane, 0.0f);

  float squares = 0.0f;
  auto* to = reinterpret_cast<Chunk*>(R + row * pitch_r);
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i) {
    squares += take_in(r.chunks[i], x.chunks[i]);
    if (lane + i * LANES < chunks) to[lane + i * LANES] = r.chunks[i];
  }
  const float factor = rsqrt_fast(over_row<LANES>(squares, words, Sum()) / static_cast<float>(N) + epsilon);
  r.store_map(G, Y + row * pitch_y, chunks, lane, [&](float value, float gamma) { return value * factor * gamma; });
}
