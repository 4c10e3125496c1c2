// Rung 6, look_back_bulk: look_back, with the next tiles on their way while a block looks back.
//
// Idea      as many blocks as fit take tiles one after another. Bulk copies bring the next STAGES - 1 tiles to shared memory,
//           past the registers: while a block waits for those before it, and while it writes, memory is busy. Tiles are
//           numbered when they are asked for, and a block has them in that order: the first tile that is not known
//           is the one that its block works at.
// Parameters THREADS a block; ROUNDS accesses of 16 bytes a thread; STAGES tiles in shared memory; BLOCKS an SM; SLEEP ns
//           between two looks at who is not ready.
// Expects   sm_90. Words and counter are 0 before.
// Lacks     an order of additions that is always the same, as look_back.
#include "tile.cuh"
#include "common/look_back.cuh"
#include "common/sm90/bulk_load.cuh"

struct Ring {
  Number* stages;  ///< [STAGES][kTile]
  Mbarrier* full;
  int* numbers;  ///< of the tiles there

  /// One thread: asks for the next tile. A ragged one stays in memory.
  __device__ __forceinline__ void fetch(int stage, const Number* X, long long N, unsigned* begun) const {
    const int number = static_cast<int>(atomicAdd(begun, 1U));
    numbers[stage] = number;
    const long long first = static_cast<long long>(number) * kTile;
    if (first + kTile > N) return full[stage].arrive();
    full[stage].arrive_expect_tx(kTile * sizeof(Number));
    bulk_load(stages + stage * kTile, X + first, kTile * sizeof(Number), full[stage]);
  }
};

extern "C" __global__ void __launch_bounds__(THREADS)
scan(const Number* __restrict__ X, Number* __restrict__ Y, int N, TileWord<Number>* words_of_tiles, unsigned* begun) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ Mbarrier full[STAGES];
  __shared__ int numbers[STAGES];
  __shared__ Number words[kWords];
  __shared__ Number before_tile;
  const Ring ring = {reinterpret_cast<Number*>(memory), full, numbers};
  if (threadIdx.x == 0) {
    for (Mbarrier& one : full) one.init(1);
    fence_mbarrier_init();
    fence_proxy_async();
    for (int stage = 0; stage < STAGES; ++stage) ring.fetch(stage, X, N, begun);
  }
  __syncthreads();
  for (int turn = 0;; ++turn) {
    const int stage = turn % STAGES;
    full[stage].wait(turn / STAGES & 1);
    const int number = numbers[stage];
    const long long first = static_cast<long long>(number) * kTile;
    if (first >= N) break;
    Tile tile;
    if (first + kTile <= N) tile.load(ring.stages + stage * kTile, kTile);
    else tile.load(X + first, N - first);
    tile.scan_warps(words);
    __syncthreads();
    if (threadIdx.x == 0) ring.fetch(stage, X, N, begun);
    if (threadIdx.x < 32) {
      const Number total = scan_words(words);
      const Number prefix = look_back<SLEEP>(words_of_tiles, number, total);
      if (threadIdx.x == 0) before_tile = prefix;
    }
    __syncthreads();
    tile.store(Y + first, N - first, words, before_tile, EXCLUSIVE);
    __syncthreads();
  }
}
