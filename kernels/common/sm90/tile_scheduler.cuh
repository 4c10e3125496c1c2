#pragma once
// Tile schedulers: which tiles of the output, and which part of their K, a worker (a block, or a cluster) computes.
// Every thread that needs to know has a scheduler of its own, in registers; they agree without talking. In which order
// tile numbers walk over the output is another question (rasterisation, tile_raster.cuh). No memory, no fence.
//
//   StaticScheduler         one tile a worker: as many workers as tiles
//   PersistentScheduler     as many workers as fit on the device; each takes one tile after another
//   StreamKScheduler<Waves> the same, and the tiles that do not fill a wave are shared out along K, evenly

/// Stages [first, end) of the K of tile `tile`; a stage is Bk of it.
struct WorkTile {
  int tile, first, end;
};

class StaticScheduler {
 public:
  __device__ __forceinline__ StaticScheduler(int tiles, int stages, int worker)
      : stages_(stages), tile_(worker < tiles ? worker : -1) {}
  /// The next work tile; false when there is none.
  __device__ __forceinline__ bool next(WorkTile& work) {
    if (tile_ < 0) return false;
    work = {tile_, 0, stages_};
    tile_ = -1;
    return true;
  }

 private:
  int stages_, tile_;
};

class PersistentScheduler {
 public:
  /// `tiles` of `stages` each (at least 1), for `workers`, which are numbered from 0.
  __device__ __forceinline__ PersistentScheduler(int tiles, int stages, int workers, int worker)
      : tiles_(tiles), stages_(stages), workers_(workers), next_(worker) {}
  __device__ __forceinline__ bool next(WorkTile& work) {
    if (next_ >= tiles_) return false;
    work = {next_, 0, stages_};
    next_ += workers_;
    return true;
  }

 private:
  int tiles_, stages_, workers_, next_;
};

/// A worker that multiplies some k of a tile but not the last leaves its partial sums in a workspace; the one that has
/// the last k adds them to its own, in order of k (stream_k_partials.cuh): the same bit for bit from run to run.
///
/// Shares come first, each from its end backwards: what a worker leaves for others is the first thing it does, what it
/// waits for the last of its share, and only from workers before it. So hardly anyone waits, and nobody for ever, as
/// long as all workers are on the device at once: the grid must not be larger than what fits.
///
/// Waves 0: whole tiles only; 1: the last wave is shared out, unless it is full; 2: and the full wave before it.
template <int Waves>
class StreamKScheduler {
 public:
  /// `tiles` of `stages` each (at least 1), for `workers`, which are numbered from 0.
  __device__ __forceinline__ StreamKScheduler(int tiles, int stages, int workers, int worker)
      : stages_(stages), workers_(workers), worker_(worker), next_tile_(worker) {
    const int rest = tiles % workers;
    const int streamed = Waves == 0 || rest == 0 ? 0 : Waves == 2 && tiles > workers ? rest + workers : rest;
    whole_ = tiles - streamed;
    begin_ = cut(streamed, worker);
    end_ = cut(streamed, worker + 1);
    streamed_ = streamed;
  }

  /// The next work tile; false when there is none.
  __device__ __forceinline__ bool next(WorkTile& work) {
    if (Waves != 0 && end_ > begin_) {
      const int tile = (end_ - 1) / stages_, of_tile = tile * stages_;
      const int first = begin_ > of_tile ? begin_ : of_tile;
      work = {whole_ + tile, first - of_tile, end_ - of_tile};
      end_ = first;
      return true;
    }
    if (next_tile_ >= whole_) return false;
    work = {next_tile_, 0, stages_};
    next_tile_ += workers_;
    return true;
  }

  /// Whether it has the last k of its tile: its worker runs the epilogue. Others leave partial sums.
  __device__ __forceinline__ bool is_final(const WorkTile& work) const { return Waves == 0 || work.end == stages_; }

  /// Calls add(worker) for each worker that left partial sums of this tile, which is finished here: in order of k.
  template <typename Add>
  __device__ __forceinline__ void for_each_partial(const WorkTile& work, Add add) const {
    if (Waves == 0 || work.first == 0) return;
    const int of_tile = (work.tile - whole_) * stages_;
    int from = worker_;
    while (cut(streamed_, from) > of_tile) --from;
    for (; from < worker_; ++from)
      if (cut(streamed_, from) < cut(streamed_, from + 1)) add(from);
  }

 private:
  static constexpr int kLeast = 4;  // stages: less is not worth its partial sums

  /// Where the share of `worker` begins, in stages of all streamed tiles; never so that a short part results.
  __device__ __forceinline__ int cut(int streamed, int worker) const {
    const int at = static_cast<int>(static_cast<long long>(streamed) * stages_ * worker / workers_);
    const int within = at % stages_;
    return within < kLeast ? at - within : stages_ - within < kLeast ? at + stages_ - within : at;
  }

  int stages_, workers_, worker_;
  int whole_, streamed_;  // tiles; the streamed are the last ones
  int begin_, end_;       // of this worker's share that is still to do
  int next_tile_;
};
