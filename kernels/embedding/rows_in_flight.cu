// Rung 2, rows_in_flight: a thread holds packets of FLIGHT rows at a time.
//
// Idea      where a row comes from is known only when its number has arrived: two waits, one after the other. FLIGHT
//           numbers are asked for together, then a packet of each of their rows, so that both waits are shared by FLIGHT
//           rows; of short rows this is what fills the memory's pipes.
// Parameters LANES threads a row, ROWS rows a block at once, FLIGHT rows one behind the other, VEC elements an access.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     nothing for short rows; long rows do as well with packed, whose loads follow one another in memory.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
embedding(const int* __restrict__ ids, const DTYPE* __restrict__ table, DTYPE* __restrict__ Y, int T, int D,
          long long pitch_table, long long pitch_y) {
  // The rows of a block at one time are neighbours: token f is ROWS behind token f - 1.
  const long long first = static_cast<long long>(blockIdx.x) * (ROWS * FLIGHT) + threadIdx.x / LANES;
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const Chunk* from[FLIGHT];
#pragma unroll
  for (int f = 0; f < FLIGHT; ++f) {
    const long long token = first + f * ROWS;
    from[f] = reinterpret_cast<const Chunk*>(table + (token < T ? ids[token] : 0) * pitch_table);
  }
  const int chunks = D / VEC;
  for (int i = lane; i < chunks; i += LANES) {
    Chunk held[FLIGHT];
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f)
      if (first + f * ROWS < T) held[f] = from[f][i];
#pragma unroll
    for (int f = 0; f < FLIGHT; ++f)
      if (first + f * ROWS < T) reinterpret_cast<Chunk*>(Y + (first + f * ROWS) * pitch_y)[i] = held[f];
  }
}
