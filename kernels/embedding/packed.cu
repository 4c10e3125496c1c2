// Rung 1, packed: LANES threads move one row, in packets of up to 16 bytes.
//
// Idea      the number of a row is read once for each of its LANES threads, and nothing is divided; each access moves
//           VEC elements, and UNROLL of them are in flight before the first is stored.
// Parameters LANES threads a row, ROWS rows a block, VEC elements an access, UNROLL accesses in flight.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     short rows keep few bytes in flight: a thread waits for one number, then for one row (next rung).
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
embedding(const int* __restrict__ ids, const DTYPE* __restrict__ table, DTYPE* __restrict__ Y, int T, int D,
          long long pitch_table, long long pitch_y) {
  const long long token = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  if (token >= T) return;
  const auto* from = reinterpret_cast<const Chunk*>(table + ids[token] * pitch_table);
  auto* to = reinterpret_cast<Chunk*>(Y + token * pitch_y);
  const int chunks = D / VEC;
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  int i = lane;
  for (; i + (UNROLL - 1) * LANES < chunks; i += UNROLL * LANES) {
    Chunk held[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) held[u] = from[i + u * LANES];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) to[i + u * LANES] = held[u];
  }
  for (; i < chunks; i += LANES) to[i] = from[i];
}
