// Rung 1, look_back: one launch; every number is read once and written once.
//
// Idea      decoupled look-back (common/look_back.cuh). A tile in which a segment begins knows its prefix at once, so that
//           who comes behind it looks no further; only a tile within one segment waits for those before it.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread; SLEEP ns between two looks at who is not ready.
// Expects   anything. Words and counter are 0 before.
// Lacks     an order of additions that is always the same, in segments longer than a tile.
#include "tile.cuh"
#include "common/look_back.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const Number* __restrict__ X, const int* __restrict__ keys, Number* __restrict__ Y, int N,
     TileWord<Number>* words_of_tiles, unsigned* begun) {
  __shared__ Sum words[kWords];
  __shared__ Number before_tile;
  const int number = next_tile(begun);
  const long long first = static_cast<long long>(number) * kTile;
  Tile tile;
  tile.load(X, keys, first, N);
  tile.scan_warps(words);
  __syncthreads();
  if (threadIdx.x < 32) {
    const Sum total = scan_words(words);
    const Number prefix = look_back<SLEEP>(words_of_tiles, number, total.sum, total.restarts != 0);
    if (threadIdx.x == 0) before_tile = prefix;
  }
  __syncthreads();
  tile.store(Y, first, N, words, before_tile);
}
