// Rung 2, row_tile: LANES threads share a row, a block has several, and what a row sees is read once.
//
// Idea      numbers stay in registers as they came, 16-bit types two to a register, between the largest element, the
//           sum and the result: one read of what is seen and one write of the row. All loads are in flight together;
//           rounds beyond the diagonal are left out, but for the zeros. exp(x - max) is ex2((x - max) log2 e).
// Parameters LANES per row; ROWS per block; VEC elements per load. ROUNDS follows from N, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread.
// Lacks     longer rows: see row_per_block.
// Gained    over row_per_block, 4096 x 4096 bf16 on emu:h200: 15.8 us modelled instead of 18.8.
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"
#include "seen.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
causal_softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int rows, int M, int N, long long pitch_x,
               long long pitch_y) {
  __shared__ float words[LANES * ROWS / 32 + 1];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const bool there = row < rows;  // a row that is not there takes part in the shuffles
  const int seen = there ? seen_by(static_cast<int>(row), M, N) : 0;
  const int chunks = (seen + VEC - 1) / VEC;  // that are seen at least in part
  Tile x;
  x.load(X + row * pitch_x, chunks, lane, -infinity());
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r)
    if (lane + r * LANES < chunks) mask(x.chunks[r], lane + r * LANES, seen);

  float largest = -infinity();  // fmaxf passes over NaN; x - largest does not, and poisons the sum
  x.each_within(chunks, lane, [&](float value) { largest = fmaxf(largest, value); });
  largest = over_row<LANES>(largest, words, Larger());
  float sum = 0.0f;
  x.each_within(chunks, lane, [&](float value) { sum += exp_below(value, largest); });
  const float factor = 1.0f / over_row<LANES>(sum, words, Sum());

  auto* y = reinterpret_cast<Chunk*>(Y + row * pitch_y);
  Chunk zeros;
  zeros.set([](int) { return 0.0f; });
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    const int at = lane + r * LANES;
    if (there && at < N / VEC) y[at] = at < chunks ? weights_of(x.chunks[r], at, seen, largest, factor) : zeros;
  }
}
