#pragma once
// Which tile of D a block computes next. Groups are cut into tiles of BM rows, the last of each may have fewer; how
// many lie before each group is counted once, by every block for itself, in its shared memory.

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
  __device__ __forceinline__ Schedule(const Before* table, int groups, int N, int rank)
      : table_(table), groups_(groups), rank_(rank), columns_((N - 1) / (BN * CLUSTER) + 1) {}

  /// Tile `t`, which is not before the one asked for last; false: there are no more.
  __device__ __forceinline__ bool find(int t, TileOfD& tile) {
    while (t >= table_[group_ + 1].tiles * columns_)
      if (++group_ == groups_) return false;
    const Before begin = table_[group_], end = table_[group_ + 1];
    const int tiles = end.tiles - begin.tiles;
    const int bands = (tiles - 1) / GROUP + 1;
    const int height = (tiles - 1) / bands + 1;
    const int within_group = t - begin.tiles * columns_;
    const int first = within_group / (height * columns_) * height;
    const int within = within_group - first * columns_;
    const int rows = tiles - first < height ? tiles - first : height;
    const int m = (first + within % rows) * BM;
    tile = {group_, begin.rows + m, end.rows - begin.rows - m, (within / rows * CLUSTER + rank_) * BN};
    if (tile.rows > BM) tile.rows = BM;
    return true;
  }

 private:
  const Before* table_;
  int groups_, rank_;
  int columns_;  // of clusters
  int group_ = 0;
};
