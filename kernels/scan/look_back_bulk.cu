// Rung 6, look_back_bulk: look_back, with tiles on their way and stored while a warp of its own looks back.
//
// Idea      as many blocks as fit take tiles one after another. Bulk copies bring the next tiles to shared memory, past the
//           registers. A scout, one warp more, publishes the sum of a tile as soon as the others have it, and looks back
//           while they store the tile before and add up the next: nobody waits for a look-back, and sums are known a whole
//           tile before they are asked for. A tile is read twice from shared memory rather than held in registers.
//           Tiles are numbered when they are asked for, and a block has them in that order: the first tile that is not known
//           is the one that its block works at.
// Parameters THREADS that add up; ROUNDS accesses of 16 bytes a thread; STAGES tiles in shared memory, two of them in work;
//           BLOCKS an SM; SLEEP ns between two looks at who is not ready; LOOKS of 32 tiles at once, of
//           which more than one gained nothing on an H200.
// Expects   sm_90. Words and counter are 0 before.
// Lacks     an order of additions that is always the same, as look_back; speed: 2^27 fp32 on an H200 448 us, look_back 349.
#include "tile.cuh"
#include "common/look_back.cuh"
#include "common/sm90/bulk_load.cuh"

struct Shared {
  Mbarrier full[STAGES];  ///< a tile is there, and its number
  int numbers[STAGES];
  Mbarrier summed[2];  ///< by tiles of even and odd turns: all warps have written their words
  Mbarrier known[2];   ///< the scout has scanned the words, and knows the prefix
  Number words[2][kWords];
  Number prefix[2];
};

/// One thread's: the next tiles into the stages. The number of the tile after them is asked for before it is needed.
struct Feed {
  Shared& shared;
  Number* stages;  ///< [STAGES][kTile]
  const Number* X;
  long long N;
  unsigned* begun;
  int next;

  /// A ragged tile stays in memory.
  __device__ __forceinline__ void fetch(int stage) {
    const int number = next;
    next = static_cast<int>(atomicAdd(begun, 1U));
    shared.numbers[stage] = number;
    const long long first = static_cast<long long>(number) * kTile;
    if (first + kTile > N) return shared.full[stage].arrive();
    shared.full[stage].arrive_expect_tx(kTile * sizeof(Number));
    bulk_load(stages + stage * kTile, X + first, kTile * sizeof(Number), shared.full[stage]);
  }
};

__device__ __forceinline__ void scout(Feed& feed, Shared& shared, TileWord<Number>* words_of_tiles) {
  const bool leads = threadIdx.x % 32 == 0;
  for (int turn = 0;; ++turn) {
    const int half = turn % 2;
    __syncwarp();
    const int number = shared.numbers[turn % STAGES];
    if (static_cast<long long>(number) * kTile >= feed.N) return;
    shared.summed[half].wait(turn / 2 & 1);
    if (leads && turn >= 2) feed.fetch((turn - 2) % STAGES);  // who has summed up this tile has stored that one
    const Number total = scan_words(shared.words[half]);
    const Number prefix = look_back<SLEEP, LOOKS>(words_of_tiles, number, total);
    if (leads) shared.prefix[half] = prefix;
    __syncwarp();
    if (leads) shared.known[half].arrive();
  }
}

__device__ __forceinline__ void load_tile(Tile& tile, const Number* stage, const Number* X, long long first, long long N) {
  if (first + kTile <= N) tile.load(stage, kTile);
  else tile.load(X + first, N - first);
}

__device__ __forceinline__ void add_up(const Feed& feed, Shared& shared, Number* __restrict__ Y) {
  Tile last;  // of the turn before: its sums within warps
  long long last_first = 0;
  for (int turn = 0;; ++turn) {
    const int stage = turn % STAGES, half = turn % 2;
    shared.full[stage].wait(turn / STAGES & 1);
    const long long first = static_cast<long long>(shared.numbers[stage]) * kTile;
    Tile tile;
    if (first < feed.N) {
      load_tile(tile, feed.stages + stage * kTile, feed.X, first, feed.N);
      tile.scan_warps(shared.words[half]);
      __syncwarp();
      if (threadIdx.x % 32 == 0) shared.summed[half].arrive();
    }
    if (turn > 0) {
      shared.known[1 - half].wait((turn - 1) / 2 & 1);
      load_tile(last, feed.stages + (turn - 1) % STAGES * kTile, feed.X, last_first, feed.N);
      last.store(Y + last_first, feed.N - last_first, shared.words[1 - half], shared.prefix[1 - half], EXCLUSIVE);
      __syncwarp();
    }
    if (first >= feed.N) return;
    last = tile;
    last_first = first;
  }
}

extern "C" __global__ void __launch_bounds__(THREADS + 32)
scan(const Number* __restrict__ X, Number* __restrict__ Y, long long N, TileWord<Number>* words_of_tiles, unsigned* begun) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ Shared shared;
  Feed feed = {shared, reinterpret_cast<Number*>(memory), X, N, begun, 0};
  if (threadIdx.x == THREADS) {
    for (Mbarrier& one : shared.full) one.init(1);
    for (Mbarrier& one : shared.summed) one.init(kWarps);
    for (Mbarrier& one : shared.known) one.init(1);
    fence_mbarrier_init();
    fence_proxy_async();
    feed.next = static_cast<int>(atomicAdd(begun, 1U));
    for (int stage = 0; stage < STAGES; ++stage) feed.fetch(stage);
  }
  __syncthreads();
  if (threadIdx.x >= THREADS) scout(feed, shared, words_of_tiles);
  else add_up(feed, shared, Y);
}
