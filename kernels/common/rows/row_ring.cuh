#pragma once
// A ring of Stages slots in shared memory through which a persistent block has its rows come: bulk copies of the next
// rows are under way while it works at these, whatever it waits for. Rows lie without gaps and are whole 16 bytes long,
// so that Rows of them are one copy. Needs sm_90. Each thread has the object; the block's threads call its members
// together.
#include "common/sm90/bulk_load.cuh"
#include "common/sm90/pipeline.cuh"

/// How far a block is: group number `now` of Rows rows, every gridDim.x-th of them is its own.
template <typename T, int Stages, int Rows> struct RowRing {
  T* slots;        ///< shared memory, Stages Rows N elements, at 16 bytes
  Mbarrier* full;  ///< Stages of them
  const T* from;
  int M, N;
  long long now;
  PipelineState<Stages> state;

  __device__ __forceinline__ RowRing(void* slots, Mbarrier* full, const T* from, int M, int N)
      : slots(static_cast<T*>(slots)), full(full), from(from), M(M), N(N), now(blockIdx.x) {}

  /// Asks for the first Stages groups. A barrier.
  __device__ __forceinline__ void begin() const {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < Stages; ++stage) full[stage].init(1);
      fence_mbarrier_init();
      fence_proxy_async();
      for (int stage = 0; stage < Stages; ++stage) fetch(stage, now + static_cast<long long>(stage) * gridDim.x);
    }
    __syncthreads();
  }
  /// Whether there is a group at work.
  __device__ __forceinline__ bool has_rows() const { return now * Rows < M; }
  /// The first row of the group.
  __device__ __forceinline__ long long first() const { return now * Rows; }
  /// Waits for the group; its row number `group`, which is there if first() + group < M.
  __device__ __forceinline__ const T* row(int group) const {
    full[state.index].wait(state.phase);
    return slots + (state.index * Rows + group) * N;
  }
  /// After a barrier of the block behind its last read of the slot: asks for the rows that come next there.
  __device__ __forceinline__ void refill() const {
    if (threadIdx.x == 0) fetch(state.index, now + static_cast<long long>(Stages) * gridDim.x);
  }
  /// The next group.
  __device__ __forceinline__ void advance() {
    now += gridDim.x;
    state.advance();
  }

 private:
  __device__ __forceinline__ void fetch(int stage, long long group) const {
    const long long left = M - group * Rows;
    if (left <= 0) return;
    const unsigned bytes = static_cast<unsigned>(left < Rows ? left : Rows) * N * sizeof(T);
    full[stage].arrive_expect_tx(bytes);
    bulk_load(slots + stage * Rows * N, from + group * Rows * N, bytes, full[stage]);
  }
};
