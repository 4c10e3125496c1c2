#pragma once
// A ring of Stages buffers between producers and consumers, on mbarriers (common/sm90/mbarrier.cuh). It owns no memory
// of its own and does not know what the stages hold: several pipelines (of A and B, of K and V) live side by side in
// one kernel. Two mbarriers a stage: `full`, the bytes have come; `empty`, all consumers are done with it. Wraps no
// instruction of its own (PTX ISA, "mbarrier"). One thread of the producer acquires and expects, any threads wait, one
// thread of each consumer releases. Implied: init fences (mbarrier init, async proxy) but has no barrier; wait and acquire
// acquire and release releases at block scope, the bytes of copies included.
//
//   producer: pipeline.acquire(state);                       // the stage is empty
//             pipeline.expect(state, bytes);                 // arrives at `full`, announces the bytes
//             TmaLoad::load(map, stage, pipeline.full[state.index], x, y);
//             state.advance();
//   consumer: pipeline.wait(state);  ... read the stage ...  pipeline.release(state);  state.advance();
#include "common/sm90/mbarrier.cuh"

/// Where a thread is on its way round the ring. Producer and consumers each have one, in registers.
template <int Stages>
struct PipelineState {
  int index = 0;       ///< of the stage, 0 to Stages - 1
  unsigned phase = 0;  ///< parity of the round

  __device__ __forceinline__ void advance() {
    if (++index == Stages) {
      index = 0;
      phase ^= 1;
    }
  }
  /// By any number of stages: past those of the other consumer of a ping-pong.
  __device__ __forceinline__ void advance(int stages) {
    const int to = index + stages;
    phase ^= static_cast<unsigned>(to / Stages) & 1;
    index = to % Stages;
  }
};

/// A handle: pointers to arrays of Stages mbarriers in shared memory.
template <int Stages>
struct Pipeline {
  using State = PipelineState<Stages>;
  Mbarrier* full;
  Mbarrier* empty;

  /// `producers` arrivals fill a stage (1 where one thread announces bytes), `consumers` empty it: one for each
  /// consumer that calls release, of every block that this one copies for. One thread; then a barrier of all users.
  __device__ __forceinline__ void init(unsigned producers, unsigned consumers) const {
    for (int stage = 0; stage < Stages; ++stage) {
      full[stage].init(producers);
      empty[stage].init(consumers);
    }
    fence_mbarrier_init();
    fence_proxy_async();
  }

  /// Producer: waits until the stage is empty. At first all are.
  __device__ __forceinline__ void acquire(const State& state) const { empty[state.index].wait(state.phase ^ 1); }
  /// Producer, one thread: so many bytes of copies will come.
  __device__ __forceinline__ void expect(const State& state, unsigned bytes) const {
    full[state.index].arrive_expect_tx(bytes);
  }
  /// Consumer, any threads: waits until the stage is full.
  __device__ __forceinline__ void wait(const State& state) const { full[state.index].wait(state.phase); }
  /// Consumer, one thread: done with the stage. Before, wgmma that reads it must have been waited for (wgmma_wait), and
  /// other threads of the consumer must have come to a barrier, or (wgmma) be ordered by the wait of their warps.
  __device__ __forceinline__ void release(const State& state) const { release(state.index); }
  __device__ __forceinline__ void release(int stage) const { empty[stage].arrive(); }
  /// The same to the block of rank `rank`, which fills this block's stage too (multicast). One thread for each rank.
  __device__ __forceinline__ void release_at(int stage, unsigned rank) const {
    Mbarrier::arrive_at(empty[stage].at_rank(rank));
  }
};
