#pragma once
// A ring of Stages slots in shared memory through which a persistent block has its rows come: bulk copies of the next
// rows are under way while it works at these, whatever it waits for. A slot holds Rows rows of each of Tensors tensors,
// Width elements apart; rows begin at whole 16 bytes and are copied one by one, by the first warp. Needs sm_90. Each
// thread has the object; all threads of the block call its members together.
#include "common/sm90/bulk_load.cuh"
#include "common/sm90/pipeline.cuh"

/// Behind = 0: a slot is read once, before the barrier that refill wants. 1: it is read again after the barrier, so that
/// refill is about the slot of the group before: the barrier says that nobody reads that any more.
template <typename T, int Stages, int Rows, int Width, int Tensors = 1, int Behind = 0> struct RowRing {
  static constexpr int kSlot = Rows * Tensors * Width;
  struct Source {
    const T* first;
    long long pitch;  ///< elements from row to row
  };
  T* slots;        ///< shared memory, Stages kSlot elements, at 16 bytes
  Mbarrier* full;  ///< Stages of them
  Source sources[Tensors];
  int M;               ///< rows
  unsigned bytes;      ///< of a row, or of the part of it that is this block's: whole 16, at most those of Width
  unsigned now, step;  ///< the group of Rows rows at work; the block has every `step`-th
  PipelineState<Stages> state;

  /// Asks for the first groups. A barrier.
  __device__ __forceinline__ void begin() const {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < Stages; ++stage) full[stage].init(1);
      fence_mbarrier_init();
      fence_proxy_async();
    }
    __syncthreads();
    for (int stage = 0; stage < Stages - Behind; ++stage) fetch(stage, now + static_cast<long long>(stage) * step);
  }
  /// Whether there is a group at work.
  __device__ __forceinline__ bool has_rows() const { return row(0) < M; }
  /// Row number `in_group` of the group; M or more: it is not there.
  __device__ __forceinline__ long long row(int in_group) const { return static_cast<long long>(now) * Rows + in_group; }
  /// Waits for the group.
  __device__ __forceinline__ void wait() const { full[state.index].wait(state.phase); }
  /// After wait(): where this row of the group lies.
  __device__ __forceinline__ const T* at(int in_group, int tensor = 0) const {
    return slots + state.index * kSlot + (in_group * Tensors + tensor) * Width;
  }
  /// After a barrier of the block, once a group: asks for the rows that come next, see Behind.
  __device__ __forceinline__ void refill() const {
    const int stage = state.index - Behind;
    fetch(stage < 0 ? stage + Stages : stage, now + static_cast<long long>(Stages - Behind) * step);
  }
  /// The next group.
  __device__ __forceinline__ void advance() {
    now += step;
    state.advance();
  }

 private:
  __device__ __forceinline__ void fetch(int stage, long long group) const {
    if (threadIdx.x >= 32) return;
    const long long left = M - group * Rows;
    if (left <= 0) return;
    const int rows = left < Rows ? static_cast<int>(left) : Rows;
    if (threadIdx.x == 0) full[stage].arrive_expect_tx(rows * Tensors * bytes);
    __syncwarp();
    const int in_group = static_cast<int>(threadIdx.x);
    if (in_group >= rows || bytes == 0) return;
#pragma unroll
    for (int t = 0; t < Tensors; ++t)
      bulk_load(slots + stage * kSlot + (in_group * Tensors + t) * Width,
                sources[t].first + (group * Rows + in_group) * sources[t].pitch, bytes, full[stage]);
  }
};
