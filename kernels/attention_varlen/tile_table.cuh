#pragma once
// Which tile of queries a block takes next. A sequence of n queries has ceil(n / kRows) tiles of each head; how many
// tiles lie before each sequence is counted once, by every block for itself, in its shared memory.
#include "sequence.cuh"

/// Fills before[0 .. batch]: tiles of one head in the sequences before each, and of all. `sums` has room for a number a
/// warp. All Threads of the block; ends with a barrier.
template <int Rows, int Threads>
__device__ __forceinline__ void count_tiles(int* before, int* sums, const int* __restrict__ offsets, int batch) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  int earlier = 0;  // of the sequences of earlier rounds
  for (int first = 0; first < batch; first += Threads) {
    const int b = first + thread;
    int up_to = b < batch ? (offsets[b + 1] - offsets[b] + Rows - 1) / Rows : 0;  // of this warp
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int below = __shfl_up_sync(0xffffffffU, up_to, distance);
      if (lane >= distance) up_to += below;
    }
    if (lane == 31) sums[warp] = up_to;
    __syncthreads();
    int of_warps = earlier;
    for (int w = 0; w < Threads / 32; ++w) {
      if (w < warp) of_warps += sums[w];
      earlier += sums[w];
    }
    if (b < batch) before[b + 1] = of_warps + up_to;
    __syncthreads();
  }
  if (thread == 0) before[0] = 0;
  __syncthreads();
}

/// Tile `at` of before[batch] * heads: sequence after sequence, head after head, so that the tiles that are worked on at
/// one time share keys; within a head those with most keys first.
struct PackedTile {
  int b, head, first;  // the tile's first query in its sequence

  __device__ __forceinline__ PackedTile(int at, const int* before, int batch, int heads, int rows) {
    b = last_up_to(before, batch, at / heads);
    const int tiles = before[b + 1] - before[b], within = at - before[b] * heads;
    head = within / tiles;
    const int tile = within % tiles;
    first = (CAUSAL ? tiles - 1 - tile : tile) * rows;
  }
};
