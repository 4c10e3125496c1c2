// Rung 1, look_back: one launch; every number is read once.
//
// Idea      as three_launches, but a tile learns how many are selected before it by looking back over the tiles before it
//           (common/look_back.cuh) while it is still in registers.
// Parameters THREADS a block; ITEMS numbers a thread; STAGED; SLEEP ns between two looks at who is not ready; COUNT, the type
//           of how many are selected before a tile: int64 for 2^31 numbers and more, whose words take three times the room.
// Expects   what COUNT counts. Words and counter are 0 before.
// Lacks     something to do while it waits: the next tile's numbers could be on their way.
#include "tile.cuh"
#include "common/look_back.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
compact(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, long long* __restrict__ selected, COUNT N, float limit,
        TileWord<COUNT>* words_of_tiles, unsigned* begun) {
  __shared__ int words[kWarps];
  __shared__ int total;
  __shared__ COUNT before_tile;
  const int number = next_tile(begun);
  Tile tile;
  tile.load(X, number, N);
  const int own = tile.choose(X, limit);
  if (Tile::lane() == 0) words[Tile::warp()] = own;
  __syncthreads();
  if (threadIdx.x < 32) {
    const int sum = scan_warps(words);
    const COUNT before = look_back<SLEEP>(words_of_tiles, number, static_cast<COUNT>(sum));
    if (threadIdx.x == 0) {
      total = sum;
      before_tile = before;
      if (number == static_cast<int>(gridDim.x) - 1) *selected = before + sum;
    }
  }
  __syncthreads();
  tile.store(Y, N, before_tile, words[Tile::warp()], total);
}
