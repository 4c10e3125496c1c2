// Rung 2, row_tile: LANES threads share a group, a block has several, and each is read once.
//
// Idea      numbers stay in registers as they came, 16-bit types two to a register, between the largest magnitude and the
//           product: one read of x, one write of the codes. All loads of a tile are in flight together.
// Parameters LANES per group; GROUPS per block, rows or neighbours in a row; VEC elements per load. ROUNDS follows from the
//           group's length, which is compiled in.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any), at most 64 elements per thread; X and Q may have
//           leading dimensions of their own.
// Lacks     longer rows: see group_per_block. Codes of 16-bit types are stored 8 bytes at a time.
#include "codes.cuh"
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"

extern "C" __global__ void __launch_bounds__(LANES * GROUPS)
quantize(const DTYPE* __restrict__ X, Code* __restrict__ Q, Scale* __restrict__ S, int M, int N, int in_row,
         long long pitch_x, long long pitch_q) {
  __shared__ float words[LANES * GROUPS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const int mine = static_cast<int>(threadIdx.x) / LANES;
  long long row = static_cast<long long>(blockIdx.x) * GROUPS + mine;
  int in_this_row = 0;
  if constexpr (GROUP != 0) {  // the blocks of a row side by side
    const unsigned tiles = static_cast<unsigned>(in_row + GROUPS - 1) / GROUPS;
    row = blockIdx.x / tiles;
    in_this_row = static_cast<int>(blockIdx.x % tiles) * GROUPS + mine;
  }
  const bool there = GROUP ? in_this_row < in_row : row < M;
  const int first = in_this_row * GROUP;
  const int length = GROUP && N - first > GROUP ? GROUP : N - first;
  const int chunks = there ? length / VEC : 0;  // a group that is not there takes part in the shuffles
  RowTile<DTYPE, VEC, ROUNDS, LANES> x;
  x.load(X + row * pitch_x + first, chunks, lane, 0.0f);

  float amax = 0.0f;
  x.each([&](int, float value) { amax = LargerMagnitude()(amax, magnitude(value)); });
  const Scaling scaling = scaling_of(over_row<LANES>(amax, words, LargerMagnitude()));
  if (there && lane == 0) S[row * in_row + in_this_row] = scaling.scale;

  auto* q = reinterpret_cast<Packet<Code, VEC>*>(Q + row * pitch_q + first);
#pragma unroll
  for (int r = 0; r < ROUNDS; ++r) {
    if (lane + r * LANES >= chunks) continue;
    float scaled[VEC];
    x.chunks[r].each([&](int e, float value) { scaled[e] = value * scaling.factor; });
    q[lane + r * LANES] = codes_of(scaled);
  }
}
