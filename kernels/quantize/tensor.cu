// Rung 1 of one scale for everything, tensor: packets in flight, an atomic a block.
//
// Idea      both launches read X in packets, UNROLL of a thread in flight; in the first a block's magnitudes meet in
//           registers and shared memory before one atomic (of integers, so that any order gives the same). The second goes
//           backwards through the rows: what the first read last is still in the L2 cache.
// Parameters LANES threads a row, ROWS rows a block, VEC elements an access, UNROLL accesses in flight.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X and Q may have leading dimensions of their own.
// Modelled  107.6 us for 16384 x 8192 bf16 on emu:h200, which has part of X in the L2 cache; all of it read twice is 1.67 of
//           the least bytes.
// Lacks     one read: X that is larger than the L2 cache comes from memory twice. A scale known beforehand (of the step
//           before) needs no first launch: that is what is done where it hurts.
#include "codes.cuh"
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// Where a thread's UNROLL chunks lie: LANES apart, of one row.
struct Share {
  long long row;
  int first, chunks;  ///< no chunks of a row that is not there
};
__device__ __forceinline__ Share share_of(unsigned block, int M, int N) {
  const int chunks = N / VEC;
  const unsigned across = static_cast<unsigned>((chunks + LANES * UNROLL - 1) / (LANES * UNROLL));
  const long long row = static_cast<long long>(block / across) * ROWS + threadIdx.x / LANES;
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  return {row, static_cast<int>(block % across) * LANES * UNROLL + lane, row < M ? chunks : 0};
}

__device__ __forceinline__ void load(const DTYPE* row, const Share& share, Chunk (&held)[UNROLL]) {
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (share.first + u * LANES < share.chunks) held[u] = reinterpret_cast<const Chunk*>(row)[share.first + u * LANES];
    else held[u].set([](int) { return 0.0f; });
  }
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
largest_magnitude(const DTYPE* __restrict__ X, unsigned* amax, int M, int N, long long pitch_x) {
  __shared__ float words[LANES * ROWS / 32];
  const Share share = share_of(blockIdx.x, M, N);
  Chunk held[UNROLL];
  load(X + share.row * pitch_x, share, held);
  float own = 0.0f;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u)
    held[u].each([&](int, float value) { own = LargerMagnitude()(own, magnitude(value)); });
  own = over_row<LANES * ROWS>(own, words, LargerMagnitude());
  if (threadIdx.x == 0) atomicMax(amax, bits_from_float(own));
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
quantize(const DTYPE* __restrict__ X, Code* __restrict__ Q, Scale* __restrict__ S, const unsigned* __restrict__ amax,
         int M, int N, long long pitch_x, long long pitch_q) {
  const Share share = share_of(gridDim.x - 1 - blockIdx.x, M, N);
  Chunk held[UNROLL];
  load(X + share.row * pitch_x, share, held);
  const Scaling scaling = scaling_of(float_from_bits(*amax));
  auto* q = reinterpret_cast<Packet<Code, VEC>*>(Q + share.row * pitch_q);
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (share.first + u * LANES >= share.chunks) continue;
    float scaled[VEC];
    held[u].each([&](int e, float value) { scaled[e] = value * scaling.factor; });
    q[share.first + u * LANES] = codes_of(scaled);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *S = scaling.scale;
}
