#pragma once
// Producer warpgroups for operands whose rows begin anywhere: they load a stage themselves, in aligned chunks of 16
// bytes, shift them into place and write them to shared memory, swizzled as TMA would have. A fence shows them to
// wgmma; `full` counts warps instead of bytes, and the consumers do not notice.
#include "common/sm90/named_barrier.cuh"
#include "shift.cuh"
#include "sm90_mainloop.cuh"

/// As `shifted`, where a warp has one shift: Words whole words and `bits` (0 to 24). 4 instructions instead of 15.
template <int Words>
__device__ __forceinline__ uint4 shifted_words(uint4 low, uint4 high, unsigned bits) {
  const unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  return {__funnelshift_r(words[Words], words[Words + 1], bits), __funnelshift_r(words[Words + 1], words[Words + 2], bits),
          __funnelshift_r(words[Words + 2], words[Words + 3], bits),
          __funnelshift_r(words[Words + 3], words[Words + 4], bits)};
}

/// 16 bytes on their way to a tile: two aligned loads.
struct Chunk {
  uint4 low, high;
};

/// An operand as the threads of one producer warpgroup see it. Eight threads load 128 bytes of a row. Rows that lie
/// kPeriod apart are shifted alike, whatever their length: each warp takes such rows, so that a shift is the warp's and
/// no thread selects words by its own. Where that leaves a warp several classes of rows, it takes one after the other.
template <typename Tile>
class UnalignedLoad {
  static constexpr int kElements = 16 / DTYPE_BYTES;  // of a chunk
  static constexpr int kPeriod = kElements;           // of rows
  static constexpr int kBlocks = Tile::kPanelRows / (4 * kPeriod);
 public:
  static constexpr int kClasses = kPeriod / 4;  // of rows, of a warp
  static constexpr int kChunks = Tile::kPanels * kBlocks * kClasses;  // of a thread, of a tile
  static constexpr int kOfClass = kChunks / kClasses;

  /// Where a stage's part of the matrix begins.
  struct Place {
    long long bytes;  // from the thread's first chunk to that of the stage
    int row, along;
    bool whole;  // nothing of it lies outside, nor what is read behind the ends of its rows
  };

  /// Matrix `z` of `batch`, each `rows` rows of `length` elements.
  __device__ __forceinline__ UnalignedLoad(const DTYPE* tensor, int batch, int z, int rows, int length)
      : rows_(rows), length_(length) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    row_ = __shfl_sync(~0u, thread / 32, 0);
    row_in_class_ = thread % 32 / 8 * kPeriod;
    column_ = thread % 8 * kElements;
    const long long size = static_cast<long long>(rows) * length;
    matrix_ = tensor + z * size;
#pragma unroll
    for (int c = 0; c < kClasses; ++c) {
      const char* from = reinterpret_cast<const char*>(
          matrix_ + static_cast<long long>(row_ + 4 * c + row_in_class_) * length + column_);
      const unsigned shift = static_cast<unsigned>(reinterpret_cast<unsigned long long>(from)) % 16;
      from_[c] = from - shift;
      shift_[c] = __shfl_sync(~0u, shift, 0);
    }
    const unsigned long long end = reinterpret_cast<unsigned long long>(tensor + batch * size);
    end_ = reinterpret_cast<const char*>(end - end % 16);
    const long long lost = static_cast<long long>(end % 16 / DTYPE_BYTES) - (batch - 1 - z) * size;
    lost_ = static_cast<int>(lost < 0 ? 0 : lost < size ? lost : size);
  }

  /// Of the tile whose first x and k these are.
  __device__ __forceinline__ Place place(int x, int k) const {
    const int row = Tile::kAlongK ? x : k, along = Tile::kAlongK ? k : x;
    return {(static_cast<long long>(row) * length_ + along) * DTYPE_BYTES, row, along,
            row + Tile::kPanelRows < rows_ && along + Tile::kPanels * Tile::kPanel <= length_ && length_ >= 2 * kElements};
  }

  __device__ __forceinline__ unsigned shift(int of_class) const { return shift_[of_class]; }

  /// Begins to load chunk `i` of a stage. What lies outside the matrix is zero.
  __device__ __forceinline__ Chunk load(int i, const Place& stage) const {
    const int block = i % kBlocks, panel = i % kOfClass / kBlocks;
    const char* at = from_[i / kOfClass] + stage.bytes +
                     static_cast<long long>(length_) * (block * 4 * kPeriod * DTYPE_BYTES) + panel * 128;
    Chunk chunk = {};
    if (stage.whole) {
      chunk.low = *reinterpret_cast<const uint4*>(at);
      chunk.high = *reinterpret_cast<const uint4*>(at + 16);
    } else {
      const bool inside = stage.row + row_of(i) < rows_ && stage.along + panel * Tile::kPanel + column_ < length_;
      if (inside && at < end_) chunk.low = *reinterpret_cast<const uint4*>(at);
      if (inside && shift_[i / kOfClass] != 0 && at + 16 < end_) chunk.high = *reinterpret_cast<const uint4*>(at + 16);
    }
    return chunk;
  }

  /// Writes it to the tile at `to`. `Words`: whole words of its shift.
  template <int Words>
  __device__ __forceinline__ void store(int i, const Chunk& chunk, unsigned char* to, const Place& stage) const {
    const int panel = i % kOfClass / kBlocks;
    uint4 elements = shifted_words<Words>(chunk.low, chunk.high, shift_[i / kOfClass] % 4 * 8);
    if (!stage.whole) {
      const int left = length_ - stage.along - column_ - panel * Tile::kPanel;
      if (left < kElements) elements = first_bytes(elements, left * DTYPE_BYTES);  // then the next row begins
    }
    *reinterpret_cast<uint4*>(to + at(panel, row_of(i), column_)) = elements;
  }

  /// Writes the last elements of a tensor that does not end at a multiple of 16 bytes: no aligned load reads them. All
  /// 128 threads, after all chunks; `barrier`: a named barrier of theirs.
  __device__ __forceinline__ void store_lost(unsigned char* to, const Place& stage, int barrier) const {
    if (lost_ == 0 || stage.row + Tile::kPanelRows <= rows_ - lost_) return;
    NamedBarrier{barrier, 128}.sync();  // zeros are there already
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread >= lost_) return;
    const long long of = static_cast<long long>(rows_) * length_ - lost_ + thread;
    const int m = static_cast<int>(of / length_) - stage.row, n = static_cast<int>(of % length_) - stage.along;
    if (m < 0 || m >= Tile::kPanelRows || n < 0 || n >= Tile::kPanels * Tile::kPanel) return;
    *reinterpret_cast<DTYPE*>(to + at(n / Tile::kPanel, m, n % Tile::kPanel)) = matrix_[of];
  }

 private:
  /// Of chunk `i`, in a panel.
  __device__ __forceinline__ int row_of(int i) const {
    return row_ + 4 * (i / kOfClass) + row_in_class_ + i % kBlocks * 4 * kPeriod;
  }
  /// Where an element lies in a tile, swizzled.
  static __device__ __forceinline__ int at(int panel, int row, int column) {
    const int bytes = column * DTYPE_BYTES;
    return panel * Tile::kPanelBytes + row * 128 + (bytes / 16 ^ row % 8) * 16 + bytes % 16;
  }

  const DTYPE* matrix_;
  const char *from_[kClasses], *end_;  // 16 bytes aligned: first chunks; where the tensor's whole 16 bytes end
  unsigned shift_[kClasses];
  int row_, row_in_class_, column_;  // of this thread in a panel
  int rows_, length_;
  int lost_;  // elements at this matrix's end behind `end_`
};

/// An operand that TMA loads.
struct NoLoad {
  static constexpr int kChunks = 0;
  struct Place {};
  __device__ __forceinline__ Place place(int, int) const { return {}; }
};

/// The stage to be filled next: some k of a tile of D.
struct StageToFill {
  int tile, m0, n0, k;
};

/// A producer warpgroup: fills every PRODUCERS-th stage. Its threads hold a whole stage's chunks: they store all, tell
/// the consumers, and begin to load all of the next stage. One load after each store would be a wait for each: a warp
/// has six counters for loads on their way, and to wait for the first of nine is to wait for the ninth. `Tiles`: the
/// order of tiles of D. `LoadA`, `LoadB`: UnalignedLoad, or one of them NoLoad.
template <typename Tiles, typename LoadA, typename LoadB>
struct UnalignedProducer {
  static constexpr int kChunks = LoadA::kChunks + LoadB::kChunks;

  Pipeline<STAGES> pipeline;
  unsigned char* stages;
  Tiles tiles;
  LoadA a;
  LoadB b;
  int K, barrier;

  /// Where a stage's tiles of both operands begin.
  struct Places {
    typename LoadA::Place a;
    typename LoadB::Place b;
  };

  /// All its threads; `number`: of PRODUCERS.
  __device__ __forceinline__ void run(int number) const {
    StageToFill now{static_cast<int>(blockIdx.x), 0, 0, 0};
    find(now);
    State state;
    step(now, number);
    state.advance(number);
    Places at = places(now);
    Chunk chunks[kChunks];
    load(chunks, at);
#pragma unroll 1
    while (now.tile < tiles.count()) {
      fill(state, chunks, at);
      step(now, PRODUCERS);
      at = places(now);
      load(chunks, at);
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

  __device__ __forceinline__ Places places(const StageToFill& of) const {
    return {a.place(of.m0, of.k), b.place(of.n0, of.k)};
  }

  __device__ __forceinline__ void load(Chunk (&chunks)[kChunks], const Places& at) const {
    if constexpr (LoadA::kChunks > 0)
#pragma unroll
      for (int i = 0; i < LoadA::kChunks; ++i) chunks[i] = a.load(i, at.a);
    if constexpr (LoadB::kChunks > 0)
#pragma unroll
      for (int i = 0; i < LoadB::kChunks; ++i) chunks[LoadA::kChunks + i] = b.load(i, at.b);
  }

  /// Stores the chunks of one class of rows. `Words`: of that class's shift.
  template <int Words, typename Load>
  static __device__ __forceinline__ void store_class(int of_class, const Load& operand, const Chunk* chunks,
                                                     unsigned char* to, const typename Load::Place& place) {
#pragma unroll
    for (int j = 0; j < Load::kOfClass; ++j) {
      const int i = of_class * Load::kOfClass + j;
      operand.template store<Words>(i, chunks[i], to, place);
    }
  }

  template <typename Load>
  __device__ __forceinline__ void store(const Load& operand, const Chunk* chunks, unsigned char* to,
                                        const typename Load::Place& place) const {
#pragma unroll
    for (int c = 0; c < Load::kClasses; ++c) {
      switch (operand.shift(c) / 4) {  // a warp's: no thread waits for another
        case 0: store_class<0>(c, operand, chunks, to, place); break;
        case 1: store_class<1>(c, operand, chunks, to, place); break;
        case 2: store_class<2>(c, operand, chunks, to, place); break;
        default: store_class<3>(c, operand, chunks, to, place);
      }
    }
    operand.store_lost(to, place, barrier);
  }

  __device__ __forceinline__ void fill(const State& state, const Chunk (&chunks)[kChunks], const Places& at) const {
    unsigned char* to = stages + state.index * kStageBytes;
    pipeline.acquire(state);
    if constexpr (LoadA::kChunks > 0) store(a, chunks, to, at.a);
    if constexpr (LoadB::kChunks > 0) store(b, chunks + LoadA::kChunks, to + TileA::kBytes, at.b);
    fence_proxy_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) pipeline.full[state.index].arrive();
  }
};

/// One thread: has TMA load an operand's part of `count` stages of a tile of D, whose first row or column is `x`. `to`:
/// where in stage 0.
template <typename Tile>
__device__ __forceinline__ void load_aligned(const Pipeline<STAGES>& pipeline, State& state, const TensorMap& map,
                                             unsigned to, int x, int count) {
#pragma unroll 1
  for (int k = 0; k < count * BK; k += BK) {
    pipeline.acquire(state);
    pipeline.expect(state, Tile::kBytes);
    Tile::template for_each_box<1>(0, to + state.index * kStageBytes, x, k, [&](unsigned place, int along, int across) {
      TmaLoad::load(map, place, pipeline.full[state.index], along, across, static_cast<int>(blockIdx.z));
    });
    state.advance();
  }
}
