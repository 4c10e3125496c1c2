#pragma once
// Producer warpgroups for operands whose rows begin anywhere: they load a stage themselves, in aligned chunks of 16
// bytes, shift them into place and write them to shared memory, swizzled as TMA would have. A fence shows them to
// wgmma; `full` counts warps instead of bytes, and the consumers do not notice.
#include "common/sm90/named_barrier.cuh"
#include "shift.cuh"
#include "sm90_mainloop.cuh"

/// 16 bytes on their way to a tile: two aligned loads.
struct Chunk {
  uint4 low, high;
};

/// An operand as the threads of one producer warpgroup see it. Eight threads load a row of 128 bytes, all 128 threads
/// 16 rows. Since 16 rows are a multiple of 16 bytes whatever their length, as are the steps of tiles, a thread's
/// chunks are all shifted alike.
template <typename Tile>
class UnalignedLoad {
  static constexpr int kElements = 16 / DTYPE_BYTES;       // of a chunk
  static constexpr int kSixteens = Tile::kPanelRows / 16;  // of rows
 public:
  static constexpr int kChunks = Tile::kPanels * kSixteens;  // of a thread, of a tile

  /// Matrix `z` of `batch`, each `rows` rows of `length` elements.
  __device__ __forceinline__ UnalignedLoad(const DTYPE* tensor, int batch, int z, int rows, int length)
      : rows_(rows), length_(length) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    row_ = thread / 8;
    column_ = thread % 8 * kElements;
    const long long size = static_cast<long long>(rows) * length;
    const long long first = z * size + static_cast<long long>(row_) * length + column_;
    const char* from = reinterpret_cast<const char*>(tensor + first);
    shift_ = static_cast<unsigned>(reinterpret_cast<unsigned long long>(from)) % 16;
    from_ = from - shift_;
    const unsigned long long end = reinterpret_cast<unsigned long long>(tensor + batch * size);
    end_ = reinterpret_cast<const char*>(end - end % 16);
    const long long lost = static_cast<long long>(end % 16 / DTYPE_BYTES) - (batch - 1 - z) * size;
    lost_ = static_cast<int>(lost < 0 ? 0 : lost < size ? lost : size);
  }

  /// Begins to load chunk `i` of the tile whose first x and k these are. What lies outside the matrix is zero.
  __device__ __forceinline__ Chunk load(int i, int x, int k) const {
    const int row = (Tile::kAlongK ? x : k) + i % kSixteens * 16;
    const int along = (Tile::kAlongK ? k : x) + i / kSixteens * Tile::kPanel;
    const char* at = from_ + (static_cast<long long>(row) * length_ + along) * DTYPE_BYTES;
    const bool inside = row + row_ < rows_ && along + column_ < length_;
    Chunk chunk = {};
    if (inside && at < end_) chunk.low = *reinterpret_cast<const uint4*>(at);
    if (inside && shift_ != 0 && at + 16 < end_) chunk.high = *reinterpret_cast<const uint4*>(at + 16);
    return chunk;
  }

  /// Writes it to the tile at `to`.
  __device__ __forceinline__ void store(int i, const Chunk& chunk, unsigned char* to, int x, int k) const {
    const int panel = i / kSixteens, left = length_ - (Tile::kAlongK ? k : x) - column_ - panel * Tile::kPanel;
    uint4 elements = shifted(chunk.low, chunk.high, shift_);
    if (left < kElements) elements = first_bytes(elements, left * DTYPE_BYTES);  // then the next row begins
    *reinterpret_cast<uint4*>(to + place(panel, row_ + i % kSixteens * 16, column_)) = elements;
  }

  /// Writes the last elements of a tensor that does not end at a multiple of 16 bytes: no aligned load reads them. All
  /// 128 threads, after all chunks; `barrier`: a named barrier of theirs.
  __device__ __forceinline__ void store_lost(unsigned char* to, int x, int k, int barrier) const {
    const int row = Tile::kAlongK ? x : k, along = Tile::kAlongK ? k : x;
    if (lost_ == 0 || row + Tile::kPanelRows <= rows_ - lost_) return;
    NamedBarrier{barrier, 128}.sync();  // zeros are there already
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread >= lost_) return;
    const long long at = static_cast<long long>(rows_) * length_ - lost_ + thread;
    const int m = static_cast<int>(at / length_) - row, n = static_cast<int>(at % length_) - along;
    if (m < 0 || m >= Tile::kPanelRows || n < 0 || n >= Tile::kPanels * Tile::kPanel) return;
    const DTYPE* mine = reinterpret_cast<const DTYPE*>(from_ + shift_);
    const long long from_mine = at - static_cast<long long>(row_) * length_ - column_;
    *reinterpret_cast<DTYPE*>(to + place(n / Tile::kPanel, m, n % Tile::kPanel)) = mine[from_mine];
  }

 private:
  /// Where an element lies in a tile, swizzled.
  static __device__ __forceinline__ int place(int panel, int row, int column) {
    const int bytes = column * DTYPE_BYTES;
    return panel * Tile::kPanelBytes + row * 128 + (bytes / 16 ^ row % 8) * 16 + bytes % 16;
  }

  const char *from_, *end_;  // 16 bytes aligned: this thread's first chunk; where the tensor's whole 16 bytes end
  unsigned shift_;
  int row_, column_;  // of this thread in a panel
  int rows_, length_;
  int lost_;  // elements at this matrix's end behind `end_`
};

/// The stage to be filled next: some k of a tile of D.
struct StageToFill {
  int tile, m0, n0, k;
};

/// A producer warpgroup: fills every PRODUCERS-th stage. Its threads have DEPTH chunks on their way: when one is
/// stored, the load of the one that comes DEPTH later begins, be it of the next stage. `Tiles`: the order of tiles of
/// D.
template <typename Tiles>
struct UnalignedProducer {
  using LoadA = UnalignedLoad<TileA>;
  using LoadB = UnalignedLoad<TileB>;
  static constexpr int kChunks = LoadA::kChunks + LoadB::kChunks;

  Pipeline<STAGES> pipeline;
  unsigned char* stages;
  Tiles tiles;
  LoadA a;
  LoadB b;
  int K, barrier;

  /// All its threads; `number`: of PRODUCERS.
  __device__ __forceinline__ void run(int number) const {
    StageToFill now{static_cast<int>(blockIdx.x), 0, 0, 0};
    find(now);
    State state;
    step(now, number);
    state.advance(number);
    Chunk chunks[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) chunks[i] = load(i, now);
#pragma unroll 1
    while (now.tile < tiles.count()) {
      StageToFill next = now;
      step(next, PRODUCERS);
      fill(state, chunks, now, next);
      now = next;
      state.advance(PRODUCERS);
    }
  }

  /// So many stages on.
  __device__ __forceinline__ void step(StageToFill& stage, int count) const {
    stage.k += count * BK;
    if (stage.k < K) return;
    const int stages_of_tile = (K - 1) / BK + 1;
    const int further = stage.k / BK / stages_of_tile;
    stage.k -= further * stages_of_tile * BK;
    stage.tile += further * static_cast<int>(gridDim.x);
    find(stage);
  }
  /// Behind the last tile there is nothing to load.
  __device__ __forceinline__ void find(StageToFill& stage) const {
    if (stage.tile < tiles.count()) {
      const TileCoordinate at = tiles.first_element(stage.tile, 0);
      stage.m0 = at.row;
      stage.n0 = at.column;
    } else {
      stage = {stage.tile, tiles.M, tiles.N, K};
    }
  }

  __device__ __forceinline__ Chunk load(int i, const StageToFill& of) const {
    return i < LoadA::kChunks ? a.load(i, of.m0, of.k) : b.load(i - LoadA::kChunks, of.n0, of.k);
  }

  __device__ __forceinline__ void fill(const State& state, Chunk (&chunks)[DEPTH], const StageToFill& now,
                                       const StageToFill& next) const {
    unsigned char* to_a = stages + state.index * kStageBytes;
    unsigned char* to_b = to_a + TileA::kBytes;
    pipeline.acquire(state);
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      Chunk& chunk = chunks[i % DEPTH];
      if (i < LoadA::kChunks)
        a.store(i, chunk, to_a, now.m0, now.k);
      else
        b.store(i - LoadA::kChunks, chunk, to_b, now.n0, now.k);
      chunk = i + DEPTH < kChunks ? load(i + DEPTH, now) : load(i + DEPTH - kChunks, next);
    }
    a.store_lost(to_a, now.m0, now.k, barrier);
    b.store_lost(to_b, now.n0, now.k, barrier);
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) pipeline.full[state.index].arrive();
  }
};
