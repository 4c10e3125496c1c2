#pragma once
// Which tile of D a block computes next. Groups are cut into tiles of BM rows, the last of each may have fewer; how
// many lie before each group is counted once, by every block for itself, in its shared memory.
#include "common/mbarrier.cuh"

/// What lies before a group: tiles of BM rows, and rows. Entry `groups` is the end of the last one.
struct Before {
  int tiles, rows;
};

/// Fills table[0 .. groups]; `sums` has room for a number per warp. All threads of the block; ends with a barrier.
__device__ __forceinline__ void count_tiles(Before* table, int* sums, const int* __restrict__ offsets, int groups) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  int before = 0;  // tiles of the groups of earlier rounds
  for (int first = 0; first <= groups; first += THREADS) {
    const int g = first + thread;
    const int begin = offsets[g < groups ? g : groups];
    const int tiles = g < groups ? (offsets[g + 1] - begin + BM - 1) / BM : 0;
    int up_to = tiles;  // of this warp
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int below = __shfl_up_sync(0xffffffffu, up_to, distance);
      if (lane >= distance) up_to += below;
    }
    if (lane == 31) sums[warp] = up_to;
    __syncthreads();
    int earlier = before;
    for (int w = 0; w < THREADS / 32; ++w) {
      if (w < warp) earlier += sums[w];
      before += sums[w];
    }
    if (g <= groups) table[g] = {earlier + up_to - tiles, begin};
    __syncthreads();
  }
}

/// A tile of D: `rows` of its BM rows are the group's.
struct TileOfD {
  int group, m0, rows, n0;
};

/// The tiles, numbered so that those computed at one time share B and A: group after group; within a group GROUP rows
/// of tiles (or a few less, so that no band is much narrower than the others) are walked together, column by column.
/// The CLUSTER blocks of a cluster have neighbouring columns.
class Schedule {
 public:
  /// One thread of the block. `taken`: 0 before the launch and after it.
  __device__ __forceinline__ Schedule(const Before* table, int groups, int N, int rank, unsigned* taken)
      : table_(table),
        groups_(groups),
        rank_(rank),
        columns_((N - 1) / (BN * CLUSTER) + 1),
        at_(static_cast<int>(blockIdx.x) / CLUSTER),
        step_(static_cast<int>(gridDim.x) / CLUSTER),
        taken_(taken) {}

  /// The next tile of this block; false: there are no more.
  __device__ __forceinline__ bool next(TileOfD& tile) {
    const int all = table_[groups_].tiles * columns_;
    if (at_ >= all) {
      if (TAKE && at_ == step_ + all - 1) *taken_ = 0;  // as many have asked as there are tiles: this is the last
      return false;
    }
    tile = find(at_);
    at_ = step_ + (TAKE ? static_cast<int>(atomicAdd(taken_, 1u)) : at_);
    return true;
  }

 private:
  /// Tile `t`, which is not before the one looked for last.
  __device__ __forceinline__ TileOfD find(int t) {
    while (t >= table_[group_ + 1].tiles * columns_) ++group_;
    const Before begin = table_[group_], end = table_[group_ + 1];
    const int tiles = end.tiles - begin.tiles;
    const int bands = (tiles - 1) / GROUP + 1;
    const int height = (tiles - 1) / bands + 1;
    const int within_group = t - begin.tiles * columns_;
    const int first = within_group / (height * columns_) * height;
    const int within = within_group - first * columns_;
    const int rows = tiles - first < height ? tiles - first : height;
    const int m = (first + within % rows) * BM;
    const int left = end.rows - begin.rows - m;
    return {group_, begin.rows + m, left < BM ? left : BM, (within / rows * CLUSTER + rank_) * BN};
  }

  const Before* table_;
  int groups_, rank_;
  int columns_;  // of clusters
  int at_, step_;
  unsigned* taken_;
  int group_ = 0;
};

/// Tiles on their way from the thread that copies to the consumers.
struct Post {
  static constexpr int kPlaces = 2;
  TileOfD tiles[kPlaces];
  Barrier sent[kPlaces], received[kPlaces];

  /// One thread, before the barrier of the block.
  __device__ __forceinline__ void init() {
    for (int place = 0; place < kPlaces; ++place) {
      init_barrier(&sent[place], 1);
      init_barrier(&received[place], CONSUMERS * 4);  // a lane of each warp
    }
  }
};

/// Where a thread is in the post.
struct Mail {
  int place = 0;
  unsigned parity = 0;

  __device__ __forceinline__ void send(Post& post, const TileOfD& tile) {
    wait(&post.received[place], parity ^ 1);  // at first all are
    post.tiles[place] = tile;
    arrive(&post.sent[place]);
    advance();
  }
  /// All threads of a warp. False: there are no more tiles.
  __device__ __forceinline__ bool receive(Post& post, TileOfD& tile) {
    wait(&post.sent[place], parity);
    tile = post.tiles[place];
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&post.received[place]);
    advance();
    return tile.group >= 0;
  }

 private:
  __device__ __forceinline__ void advance() {
    place ^= 1;
    parity ^= place == 0 ? 1u : 0u;
  }
};
