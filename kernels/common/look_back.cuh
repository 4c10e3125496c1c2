#pragma once
// Decoupled look-back (Merrill and Garland): sums of all tiles before this one, in one launch. A block publishes the sum
// of its tile, looks back over the tiles before it until it meets one that knows its whole prefix, adds up what lies
// between, and publishes its own prefix. Tiles are numbered in the order in which blocks begin, by a counter in memory:
// a tile that is waited for has begun, however blocks are dispatched. Words and counter are 0 before.
// PTX ISA, "Memory Consistency Model", ld.relaxed, st.release.

constexpr unsigned kSum = 1;     ///< of the tile
constexpr unsigned kPrefix = 2;  ///< of everything up to its end

template <typename T> struct Looked {
  unsigned state;  ///< 0: nothing yet
  T value;
};

/// What a tile has published. Of 4 bytes: state and value are one word, so that who sees the one sees the other.
template <typename T, int BYTES = sizeof(T)> struct TileWord {
  unsigned long long word;

  __device__ __forceinline__ void publish(unsigned state, T value) {
    const unsigned long long both =
        static_cast<unsigned long long>(state) << 32 | __builtin_bit_cast(unsigned, value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&word), "l"(both) : "memory");
  }
  __device__ __forceinline__ Looked<T> look() const {
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(&word) : "memory");
    return {static_cast<unsigned>(both >> 32), __builtin_bit_cast(T, static_cast<unsigned>(both))};
  }
};

/// Of 8 bytes: the state is released behind a value of its own place, which nobody overwrites.
template <typename T> struct TileWord<T, 8> {
  unsigned long long state;
  T values[2];

  __device__ __forceinline__ void publish(unsigned next, T value) {
    values[next - 1] = value;
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(&state), "l"(static_cast<unsigned long long>(next))
                 : "memory");
  }
  __device__ __forceinline__ Looked<T> look() const {
    unsigned long long seen;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(&state) : "memory");
    return {static_cast<unsigned>(seen), seen == 0 ? T(0) : values[seen - 1]};
  }
};

/// By all threads of the block, behind a barrier: the number of its tile.
__device__ __forceinline__ int next_tile(unsigned* begun) {
  __shared__ int number;
  if (threadIdx.x == 0) number = static_cast<int>(atomicAdd(begun, 1U));
  __syncthreads();
  return number;
}

/// What a tile has published; before the first tile everything is 0.
template <typename T> __device__ __forceinline__ Looked<T> look_at(const TileWord<T>* words, int tile) {
  return tile >= 0 ? words[tile].look() : Looked<T>{kPrefix, T(0)};
}

/// Looks again, until the tiles of all lanes have published something. SLEEP ns lie between two looks.
template <int SLEEP_NS, typename T>
__device__ __forceinline__ void wait_for(Looked<T>& found, const TileWord<T>* words, int tile) {
  while (__any_sync(0xffffffffU, found.state == 0)) {
    if (SLEEP_NS > 0) __nanosleep(SLEEP_NS);
    if (found.state == 0) found = words[tile].look();
  }
}

/// By one warp, 32 WINDOWS tiles at once: the sum of all tiles before this one, in all lanes. `total` is this one's. Where the
/// sum `restarts` within the tile, who comes behind it needs nothing from before: its total is its prefix at once.
template <int SLEEP_NS, int WINDOWS = 1, typename T>
__device__ __forceinline__ T look_back(TileWord<T>* words, int tile, T total, bool restarts = false) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0 && (tile > 0 || restarts)) words[tile].publish(restarts ? kPrefix : kSum, total);
  T prefix = 0;
  bool known = false;
  for (int at = tile - 1 - lane; !known; at -= 32 * WINDOWS) {
    Looked<T> found[WINDOWS];
#pragma unroll
    for (int l = 0; l < WINDOWS; ++l) found[l] = look_at(words, at - 32 * l);
#pragma unroll
    for (int l = 0; l < WINDOWS; ++l) {
      if (known) break;
      wait_for<SLEEP_NS>(found[l], words, at - 32 * l);
      const unsigned whole = __ballot_sync(0xffffffffU, found[l].state == kPrefix);
      const int nearest = whole == 0 ? 31 : __ffs(static_cast<int>(whole)) - 1;
      T sum = lane <= nearest ? found[l].value : T(0);
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, lanes);
      prefix = sum + prefix;
      known = whole != 0;
    }
  }
  if (lane == 0 && !restarts) words[tile].publish(kPrefix, prefix + total);
  return prefix;
}
