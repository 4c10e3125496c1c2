// Rung 1, packets: a thread turns UNROLL packets of a row, of up to 16 bytes.
//
// Idea      label, lse and dloss are read once for UNROLL VEC logits, all of which are in flight before the first is used.
//           The label is compared with a packet's number, not with a column's: one comparison for VEC logits; the one
//           packet of a row that has it takes a branch. An ignored row is written, not read.
// Parameters LANES threads of a row, ROWS rows a block, VEC elements an access, UNROLL accesses in flight. A row has as many
//           blocks as it needs: few long rows fill the SMs as well as many short ones.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X may have a leading dimension of its own.
// Lacks     nothing that was counted: a logit is read once and written once.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
cross_entropy_backward(DTYPE* __restrict__ X, const int* __restrict__ labels, const float* __restrict__ lse,
                       const float* __restrict__ dloss, int M, int V, float smoothing, long long pitch) {
  const int chunks = V / VEC;
  const unsigned across = static_cast<unsigned>((chunks + LANES * UNROLL - 1) / (LANES * UNROLL));
  const long long row = static_cast<long long>(blockIdx.x / across) * ROWS + threadIdx.x / LANES;
  const int first = static_cast<int>(blockIdx.x % across) * LANES * UNROLL + static_cast<int>(threadIdx.x) % LANES;
  if (row >= M) return;
  Chunk* x = reinterpret_cast<Chunk*>(X + row * pitch);
  const int label = labels[row];
  if (label < 0) {
    Chunk zeros;
    zeros.set([](int) { return 0.0f; });
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
      if (first + u * LANES < chunks) x[first + u * LANES] = zeros;
    return;
  }

  Chunk held[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    if (first + u * LANES < chunks) held[u] = x[first + u * LANES];
  const float from = lse[row], above = dloss[row];
  const float hot = 1.0f - smoothing, flat = smoothing / static_cast<float>(V);
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * LANES;
    if (at >= chunks) continue;
    float left[VEC];
    held[u].each([&](int e, float value) { left[e] = exp_below(value, from) - flat; });
    if (at == label / VEC) {
#pragma unroll
      for (int e = 0; e < VEC; ++e)
        left[e] -= e == label % VEC ? hot : 0.0f;
    }
    held[u].set([&](int e) { return left[e] * above; });
    x[at] = held[u];
  }
}
