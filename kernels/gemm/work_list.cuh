#pragma once
// Which tiles of D, and which k of them, a block (or cluster, "worker") multiplies: whole tiles in turn, wave after
// wave, and of the tiles that do not fill a wave an even share of all their stages of k (stream-K). A worker that
// multiplies some k of a tile but not the last leaves its sums in a workspace; the one that has the last k adds them to
// its own, in order of k: the same bit for bit from run to run.
//
// Shares come first, each from its end backwards: what a worker leaves for others is the first thing it does, what it
// waits for the last of its share, and only from workers before it. So hardly anyone waits, and nobody for ever.
//
// STREAM 0: whole tiles only; 1: the last wave is shared out, unless it is full; 2: and the full wave before it.

/// Stages [first, end) of the k of tile `tile`.
struct Piece {
  int tile, first, end;
};

/// The pieces of one worker, as next() gives them; every thread that needs them has a list of its own.
class WorkList {
 public:
  /// `tiles` of `stages` each (at least 1), for `workers`, which are numbered from 0.
  __device__ __forceinline__ WorkList(int tiles, int stages, int workers, int worker)
      : stages_(stages), workers_(workers), worker_(worker), next_tile_(worker) {
    const int rest = tiles % workers;
    const int streamed = STREAM == 0 || rest == 0 ? 0 : STREAM == 2 && tiles > workers ? rest + workers : rest;
    whole_ = tiles - streamed;
    begin_ = cut(streamed, worker);
    end_ = cut(streamed, worker + 1);
    streamed_ = streamed;
  }

  /// The next piece; false when there is none.
  __device__ __forceinline__ bool next(Piece& piece) {
    if (STREAM != 0 && end_ > begin_) {
      const int tile = (end_ - 1) / stages_, of_tile = tile * stages_;
      const int first = begin_ > of_tile ? begin_ : of_tile;
      piece = {whole_ + tile, first - of_tile, end_ - of_tile};
      end_ = first;
      return true;
    }
    if (next_tile_ >= whole_) return false;
    piece = {next_tile_, 0, stages_};
    next_tile_ += workers_;
    return true;
  }

  /// Whether the piece has the last k of its tile: its worker finishes it. Others leave their sums.
  __device__ __forceinline__ bool finishes(const Piece& piece) const { return STREAM == 0 || piece.end == stages_; }

  /// Calls add(worker) for each worker that left sums of the tile of this piece, which is finished here: in order of k.
  template <typename Add>
  __device__ __forceinline__ void for_each_left(const Piece& piece, Add add) const {
    if (STREAM == 0 || piece.first == 0) return;
    const int of_tile = (piece.tile - whole_) * stages_;
    int from = worker_;
    while (cut(streamed_, from) > of_tile) --from;
    for (; from < worker_; ++from)
      if (cut(streamed_, from) < cut(streamed_, from + 1)) add(from);
  }

 private:
  static constexpr int kLeast = 4;  // stages: a shorter piece is not worth its sums

  /// Where the share of `worker` begins, in stages of all streamed tiles; never so that a short piece results.
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
