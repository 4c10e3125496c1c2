// Rung 5, look_back: one launch; every number is read once and written once.
//
// Idea      decoupled look-back (common/look_back.cuh): a block publishes the sum of its tile, looks back over the tiles
//           before it until it meets one that knows its whole prefix, adds up what lies between, and publishes its own.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread; SLEEP ns between two looks at who is not ready;
//           LOOKS of 32 tiles at once.
// Expects   anything. Words and counter are 0 before.
// Lacks     an order of additions that is always the same: how far a block looks back depends on who was quicker. And
//           bytes on their way while it looks back.
// Measured  2^27 fp32, clearing of the words included, THREADS=512 ROUNDS=8: on an H200 357 us, 3.01 TB/s, where
//           torch.cumsum (CUB) takes 416 us in the same process; on an H100 440 us, 2.44 TB/s, and torch.cumsum 513 us.
// Emulated  runs of a check take blocks in ascending, descending and shuffled order; --sanitize has the first block begin
//           last, so that blockIdx.x as the tile is found out.
#include "tile.cuh"
#include "common/look_back.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const Number* __restrict__ X, Number* __restrict__ Y, long long N, TileWord<Number>* words_of_tiles, unsigned* begun) {
  __shared__ Number words[kWords];
  __shared__ Number before_tile;
  const int number = next_tile(begun);
  const long long first = static_cast<long long>(number) * kTile;
  Tile tile;
  tile.load(X + first, N - first);
  tile.scan_warps(words);
  __syncthreads();
  if (threadIdx.x < 32) {
    const Number total = scan_words(words);
    const Number prefix = look_back<SLEEP, LOOKS>(words_of_tiles, number, total);
    if (threadIdx.x == 0) before_tile = prefix;
  }
  __syncthreads();
  tile.store(Y + first, N - first, words, before_tile, EXCLUSIVE);
}
