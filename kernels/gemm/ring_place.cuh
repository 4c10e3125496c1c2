#pragma once
// A thread on its way round a ring of STAGES stages.

/// Where a thread is in the ring: which stage, and the parity of the round.
struct Place {
  int stage = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
  /// By any number of stages.
  __device__ __forceinline__ void skip(int stages) {
    const int to = stage + stages;
    parity ^= static_cast<unsigned>(to / STAGES) & 1;
    stage = to % STAGES;
  }
};
