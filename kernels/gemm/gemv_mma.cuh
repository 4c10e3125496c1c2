#pragma once
// gemv by tensor cores: what a lane reads from B, 16 bytes at a time, is a part of a fragment of mma.sync as it stands.
// Neither the order of k nor that of the columns within a fragment matters, as long as A's fragment has the same order
// of k and the accumulators are put where they belong. No conversion, no exchange between lanes, one mma for 16 rows.
//   k contiguous in B (layouts .t)   the 16 rows of a fragment are columns of D: lane 4 g + t reads bytes 16 t of 64 of
//                                    rows g and g + 8, two mma's worth of k; A is the other operand
//   n contiguous (layouts .n)        lane 4 g + t reads bytes 16 g of 128 of the rows of its own few k, and pairs them
//                                    by __byte_perm; fragment j has every VEC-th column from j on
// What is read goes by cp.async through a ring of STAGES steps in shared memory, in which every thread reads only what
// it has copied itself: no barrier, and as many bytes on their way as the ring holds. (Loads to registers would not do:
// ptxas puts each load just before its mma, so that two or three are on their way.)
#include "common/sm80/cp_async.cuh"
#include "common/sm80/ldmatrix.cuh"
#include "common/sm80/mma_sync.cuh"
#include "epilogue.cuh"

#if DTYPE_BYTES == 4
using Bits = unsigned;  // of a number
#elif DTYPE_BYTES == 2
using Bits = unsigned short;
#else
using Bits = unsigned char;
#endif

/// STAGES x { chunks of B, words of A } of each thread; later the accumulators of the warps (gemv.cu).
extern __shared__ uint4 shared[];

#if TRANS_B
constexpr int kColumns = 16 * TILES;      // of D, per warp
constexpr int kStepK = 64 / DTYPE_BYTES;  // two mma
constexpr int kChunks = 2 * TILES;        // 16 bytes of B, per lane and step
constexpr int kRowsA = (M_ROWS + 7) / 8;  // of A, per lane; A's rows are the columns of fragments
constexpr int kWordsA = 4;                // of each
using Accumulators = Accumulator[TILES][kRowsA][4];
#else
constexpr int kVec = 16 / DTYPE_BYTES;            // numbers in 16 bytes
constexpr int kFragments = kVec;                  // of 8 columns, in the 128 bytes of a row
constexpr int kColumns = 8 * kFragments * TILES;  // of D, per warp
constexpr int kStepK = 32 / DTYPE_BYTES;          // one mma
constexpr int kOwn = kStepK / 4;                  // k of a lane
constexpr int kChunks = kOwn * TILES;
constexpr int kRowsA = (M_ROWS + 7) / 8;  // rows g and, beyond 8, g + 8 of A's fragment
constexpr int kWordsA = 2;
using Accumulators = Accumulator[TILES][kFragments][4];
#endif
constexpr bool kCopyA = !TRANS_A || M_ROWS == 1;  // rows of A are contiguous
constexpr int kNumbersA = kWordsA * 4 / DTYPE_BYTES;
constexpr int kStageBytes = THREADS * (kChunks * 16 + (kCopyA ? kRowsA * kWordsA * 4 : 0));

/// Where a lane stands in a step.
struct Place {
  int group, k;  // k: the first of the lane's own, from the step's on
  __device__ __forceinline__ Place() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    group = lane / 4;
    k = lane % 4 * kNumbersA;
  }
};

/// This thread's part of the ring: chunk or row of A `i` of a stage.
__device__ __forceinline__ unsigned chunk_place(int stage, int i) {
  return shared_address(shared) + stage * kStageBytes + (i * THREADS + static_cast<int>(threadIdx.x)) * 16;
}
__device__ __forceinline__ unsigned row_place(int stage, int i) {
  return shared_address(shared) + stage * kStageBytes + THREADS * kChunks * 16 +
         (i * THREADS + static_cast<int>(threadIdx.x)) * kWordsA * 4;
}

/// Copies what this thread needs of the step at k0, or zeros where there is nothing.
__device__ __forceinline__ void copy_step(int stage, const DTYPE* A, const DTYPE* B, const Place& place, int n0, int k0,
                                          int N, int K, bool wanted) {
  const int k = k0 + place.k;
#pragma unroll
  for (int i = 0; i < kChunks; ++i) {
#if TRANS_B
    const int n = n0 + i * 8 + place.group;
    const bool exists = wanted && k < K;
    const DTYPE* from = B + static_cast<long long>(n < N ? n : N - 1) * K + k;
#else
    const int own = i / TILES;
    const int n = n0 + (i % TILES * 8 + place.group) * kVec;
    const bool exists = wanted && k + own < K;
    const DTYPE* from = B + static_cast<long long>(k + own) * N + (n < N ? n : N - kVec);
#endif
    sm80::cp_async_16(chunk_place(stage, i), from, exists);
  }
  if (!kCopyA) return;
#pragma unroll
  for (int i = 0; i < kRowsA; ++i) {
    const int m = i * 8 + place.group;
    const bool exists = wanted && m < M_ROWS && k < K;
    const DTYPE* from = A + static_cast<long long>(m) * K + k;
    if (kWordsA == 4)
      sm80::cp_async_16(row_place(stage, i), from, exists);
    else
      sm80::cp_async_8(row_place(stage, i), from, exists);
  }
}

/// Row `i` of this lane's rows of A, from its own copy or, where rows are not contiguous, number by number.
__device__ __forceinline__ void load_a(unsigned (&to)[kWordsA], int stage, int i, const DTYPE* A, const Place& place,
                                       int k0, int K) {
  if (kCopyA) {
#pragma unroll
    for (int w = 0; w < kWordsA; ++w) to[w] = sm80::load_shared_word(row_place(stage, i) + 4 * w);
    return;
  }
  const int m = i * 8 + place.group;
  const int k = k0 + place.k;
#pragma unroll
  for (int w = 0; w < kWordsA; ++w) {
    to[w] = 0;
#pragma unroll
    for (int e = 0; e < kNumbersA / kWordsA; ++e) {
      const long long at = static_cast<long long>(k + w * (kNumbersA / kWordsA) + e) * M_ROWS + m;
      if (m < M_ROWS && k < K)
        to[w] |= static_cast<unsigned>(reinterpret_cast<const Bits*>(A)[at]) << DTYPE_BYTES * 8 * e;
    }
  }
}

struct Chunk {
  unsigned words[4];
};
__device__ __forceinline__ Chunk load_chunk(int stage, int i) {
  Chunk chunk;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(chunk.words[0]), "=r"(chunk.words[1]), "=r"(chunk.words[2]), "=r"(chunk.words[3])
               : "r"(chunk_place(stage, i))
               : "memory");
  return chunk;
}

#if TRANS_B
__device__ __forceinline__ void multiply(Accumulators& accumulators, const Chunk (&b)[kChunks],
                                         const unsigned (&a)[kRowsA][kWordsA]) {
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int m = 0; m < kRowsA; ++m) {
      const unsigned(&low)[4] = b[2 * tile].words;
      const unsigned(&high)[4] = b[2 * tile + 1].words;
      const unsigned first[4] = {low[0], high[0], low[1], high[1]};
      const unsigned second[4] = {low[2], high[2], low[3], high[3]};
      sm80::mma_m16n8<DTYPE>(accumulators[tile][m], first, a[m][0], a[m][1]);
      sm80::mma_m16n8<DTYPE>(accumulators[tile][m], second, a[m][2], a[m][3]);
    }
}

/// Calls write(m, column of the warp, sum) for what this lane holds.
template <typename Write>
__device__ __forceinline__ void for_each_accumulator(const Accumulators& accumulators, Write write) {
  const int group = static_cast<int>(threadIdx.x) % 32 / 4;
  const int m0 = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int m = 0; m < kRowsA; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) write(m * 8 + m0 + i % 2, tile * 16 + i / 2 * 8 + group, accumulators[tile][m][i]);
}
#else
__device__ __forceinline__ void multiply(Accumulators& accumulators, const Chunk (&b)[kChunks],
                                         const unsigned (&rows)[kRowsA][kWordsA]) {
  const unsigned a[4] = {rows[0][0], kRowsA > 1 ? rows[kRowsA - 1][0] : 0, rows[0][1],
                         kRowsA > 1 ? rows[kRowsA - 1][1] : 0};
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int j = 0; j < kFragments; ++j) {
      const auto word = [&](int own) { return b[own % kOwn * TILES + tile].words[j * DTYPE_BYTES / 4]; };
      unsigned k_pairs[2];
      if constexpr (DTYPE_BYTES == 4) {
        k_pairs[0] = word(0);
        k_pairs[1] = word(1);
      } else {
        const unsigned halves = j % 2 == 0 ? 0x5410 : 0x7632;
        k_pairs[0] = __byte_perm(word(0), word(1), halves);
        k_pairs[1] = __byte_perm(word(2), word(3), halves);
      }
      sm80::mma_m16n8<DTYPE>(accumulators[tile][j], a, k_pairs[0], k_pairs[1]);
    }
}

template <typename Write>
__device__ __forceinline__ void for_each_accumulator(const Accumulators& accumulators, Write write) {
  const int group = static_cast<int>(threadIdx.x) % 32 / 4;
  const int pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile)
#pragma unroll
    for (int j = 0; j < kFragments; ++j)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        write(i / 2 * 8 + group, (tile * 8 + pair + i % 2) * kVec + j, accumulators[tile][j][i]);
}
#endif

/// The accumulators of this warp's share of k.
__device__ __forceinline__ void accumulate(Accumulators& accumulators, const DTYPE* A, const DTYPE* B, int n0, int N,
                                           int K) {
  // Neighbouring steps to each block; of these every WARPS_K-th to a warp. The last ones may get less, or nothing.
  const int steps = K / kStepK + (K % kStepK != 0);
  const int block_steps = (steps + SPLIT_K - 1) / SPLIT_K;
  const int begin = static_cast<int>(blockIdx.y) * block_steps + static_cast<int>(threadIdx.x) / 32 / WARPS_N;
  const int block_end = (static_cast<int>(blockIdx.y) + 1) * block_steps;
  const int end = block_end < steps ? block_end : steps;
  const Place place;
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    const int step = begin + stage * WARPS_K;
    copy_step(stage, A, B, place, n0, step * kStepK, N, K, step < end);
    sm80::cp_async_commit();
  }
  int read = 0, write = STAGES - 1;
#pragma unroll 1
  for (int step = begin; step < end; step += WARPS_K) {
    sm80::cp_async_wait<STAGES - 2>();
    Chunk b[kChunks];
    unsigned a[kRowsA][kWordsA];
#pragma unroll
    for (int i = 0; i < kChunks; ++i) b[i] = load_chunk(read, i);
#pragma unroll
    for (int i = 0; i < kRowsA; ++i) load_a(a[i], read, i, A, place, step * kStepK, K);
    // Into the stage of the step before, whose mma have used what they loaded.
    const int next = step + (STAGES - 1) * WARPS_K;
    copy_step(write, A, B, place, n0, next * kStepK, N, K, next < end);
    sm80::cp_async_commit();
    multiply(accumulators, b, a);
    write = read;
    read = read == STAGES - 1 ? 0 : read + 1;
  }
  sm80::cp_async_wait<0>();
  __syncthreads();  // shared memory is free
}
