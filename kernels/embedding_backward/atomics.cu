// Rung 1, atomics: every element of dY is added to its place by an atomic.
//
// Idea      no search: a token knows its row. dW is set to 0 in a launch of its own; then each thread takes VEC elements of
//           a row of dY and adds them in memory, where tokens of one row meet.
// Order     whoever comes first: sums differ from run to run in their last bits (docs/tolerance.md, "dot and sum").
// Parameters THREADS a block; VEC elements a load of dY.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); dY and dW may have leading dimensions of their own.
// Lacks     one pass over dW: it is written, and what has tokens is read and written again. An atomic an element; tokens
//           of one row wait for one another. A fixed order.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

struct alignas(VEC < 4 ? 4 * VEC : 16) Zeros {
  float at[VEC < 4 ? VEC : 4];
};
constexpr int kZeros = VEC < 4 ? VEC : 4;

extern "C" __global__ void __launch_bounds__(THREADS) set_to_zero(float* __restrict__ dW, int V, int D, long long pitch) {
  const int packets = D / kZeros;
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  const long long row = i / packets;
  if (row < V) reinterpret_cast<Zeros*>(dW + row * pitch)[i - row * packets] = Zeros{};
}

extern "C" __global__ void __launch_bounds__(THREADS)
add_rows(const int* __restrict__ ids, const DTYPE* __restrict__ dY, float* dW, int T, int D, long long pitch_dy,
         long long pitch_dw) {
  const int chunks = D / VEC;
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  const long long token = i / chunks;
  if (token >= T) return;
  const int chunk = static_cast<int>(i - token * chunks);
  const Chunk held = reinterpret_cast<const Chunk*>(dY + token * pitch_dy)[chunk];
  float* to = dW + ids[token] * pitch_dw + static_cast<long long>(chunk) * VEC;
  held.each([&](int e, float value) { atomicAdd(to + e, value); });
}
