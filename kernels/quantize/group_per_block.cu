// Rung 1, group_per_block: the threads of a block share a group, of any length, and read it twice.
//
// Idea      neighbouring threads read and write neighbouring packets; magnitudes are compared by shuffles. The second pass
//           finds in the caches what the first one read.
// Parameters THREADS a block; VEC elements a load; UNROLL loads in flight a thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X and Q may have leading dimensions of their own.
// Lacks     one read: groups that fit registers need not be read again (next rung). Of 128 columns most threads have no
//           work, and a block does little.
#include "codes.cuh"
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
quantize(const DTYPE* __restrict__ X, Code* __restrict__ Q, Scale* __restrict__ S, int N, int group, int in_row,
         long long pitch_x, long long pitch_q) {
  __shared__ float words[THREADS / 32];
  const long long row = blockIdx.x / static_cast<unsigned>(in_row);
  const int first = static_cast<int>(blockIdx.x % static_cast<unsigned>(in_row)) * group;
  const int chunks = (N - first < group ? N - first : group) / VEC;
  const auto* x = reinterpret_cast<const Chunk*>(X + row * pitch_x + first);
  auto* q = reinterpret_cast<Packet<Code, VEC>*>(Q + row * pitch_q + first);

  float amax = 0.0f;
#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i];
    chunk.each([&](int, float value) { amax = LargerMagnitude()(amax, magnitude(value)); });
  }
  const Scaling scaling = scaling_of(over_row<THREADS>(amax, words, LargerMagnitude()));
  if (threadIdx.x == 0) S[blockIdx.x] = scaling.scale;

#pragma unroll UNROLL
  for (int i = static_cast<int>(threadIdx.x); i < chunks; i += THREADS) {
    const Chunk chunk = x[i];
    float scaled[VEC];
    chunk.each([&](int e, float value) { scaled[e] = value * scaling.factor; });
    q[i] = codes_of(scaled);
  }
}
