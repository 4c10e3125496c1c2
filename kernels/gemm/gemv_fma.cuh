#pragma once
// gemv by multiply-adds: all M rows of A are multiplied by each number of B while it is in a register. A is small and
// comes from L1.
//   k contiguous in B (layouts .t)   a warp's lanes walk along ROWS columns of D together; each lane has its own chunks
//                                    of k, partial sums are added across lanes by shuffles
//   n contiguous (layouts .n)        each lane has a chunk of neighbouring columns; LANES lanes side by side read LANES
//                                    x 16 bytes of a row of B, the others other rows
#include "common/stream.cuh"
#include "epilogue.cuh"

/// VEC numbers of B in a register or four.
struct Chunk {
  static constexpr int kBytes = VEC * DTYPE_BYTES;
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;
  unsigned words[kWords];

  __device__ __forceinline__ void load(const DTYPE* from) {
    if constexpr (kBytes == 16) {
      const uint4 four = load_once(from);
      words[0] = four.x;
      words[1] = four.y;
      words[2] = four.z;
      words[3] = four.w;
    } else if constexpr (kBytes == 8) {
      const uint2 two = *reinterpret_cast<const uint2*>(from);
      words[0] = two.x;
      words[1] = two.y;
    } else if constexpr (kBytes == 4) {
      words[0] = *reinterpret_cast<const unsigned*>(from);
    } else {
      words[0] = *reinterpret_cast<const unsigned short*>(from);
    }
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = 0;
  }
  __device__ __forceinline__ float get(int e) const {
    if constexpr (DTYPE_BYTES == 4)
      return float_from_bits(words[e]);
    else
      return to_float(DTYPE{static_cast<unsigned short>(words[e / 2] >> (e % 2 * 16))});
  }
};

/// x[m][e] = A(m, k + e) for VEC numbers that exist.
__device__ __forceinline__ void load_a(float (&x)[M_ROWS][VEC], const DTYPE* A, int k, int K) {
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m) {
    if (TRANS_A && M_ROWS > 1) {
#pragma unroll
      for (int e = 0; e < VEC; ++e) x[m][e] = to_float(A[static_cast<long long>(k + e) * M_ROWS + m]);
    } else {
      Vector<DTYPE, VEC> chunk = *reinterpret_cast<const Vector<DTYPE, VEC>*>(A + static_cast<long long>(m) * K + k);
#pragma unroll
      for (int e = 0; e < VEC; ++e) x[m][e] = to_float(chunk.at[e]);
    }
  }
}

/// The sum over the lanes whose numbers differ in the bits of `lanes`; every one of them gets it.
__device__ __forceinline__ float add_lanes(float sum, int lanes) {
#pragma unroll
  for (int bit = 1; bit < 32; bit *= 2)
    if ((lanes & bit) != 0) sum += __shfl_xor_sync(0xffffffffU, sum, bit);
  return sum;
}

#if TRANS_B
constexpr int kColumns = ROWS;  // of D, per warp; all warps have the same
using Accumulators = Accumulator[M_ROWS][ROWS];

/// COUNT chunks of each row, THREADS chunks apart: first all loads, then all multiplications.
template <int COUNT>
__device__ __forceinline__ void add_chunks(Accumulators& accumulators, const DTYPE* A, const DTYPE* const (&rows)[ROWS],
                                           int k0, int K) {
  constexpr int kStride = THREADS * VEC;
  Chunk chunks[COUNT][ROWS];
#pragma unroll
  for (int u = 0; u < COUNT; ++u)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) chunks[u][r].load(rows[r] + k0 + u * kStride);
#pragma unroll
  for (int u = 0; u < COUNT; ++u) {
    float x[M_ROWS][VEC];
    load_a(x, A, k0 + u * kStride, K);
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int e = 0; e < VEC; ++e) {
        const float b = chunks[u][r].get(e);
#pragma unroll
        for (int m = 0; m < M_ROWS; ++m) accumulators[m][r] += x[m][e] * b;
      }
  }
}

/// The block's threads walk along ROWS rows of B together, VEC k each at a time.
__device__ __forceinline__ void accumulate(Accumulators& accumulators, const DTYPE* A, const DTYPE* B, int n0, int N,
                                           int K) {
  const DTYPE* rows[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r] = B + static_cast<long long>(n0 + r < N ? n0 + r : N - 1) * K;
  constexpr int kStride = THREADS * VEC;
  const int mine = static_cast<int>(threadIdx.x) * VEC;
  int k0 = 0;
#pragma unroll 1
  for (; K - k0 >= kStride * UNROLL; k0 += kStride * UNROLL) add_chunks<UNROLL>(accumulators, A, rows, k0 + mine, K);
#pragma unroll 1
  for (; K - k0 > mine; k0 += kStride) {  // VEC divides K: a chunk exists wholly or not at all
    add_chunks<1>(accumulators, A, rows, k0 + mine, K);
    if (K - k0 <= kStride) break;
  }
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) accumulators[m][r] = add_lanes(accumulators[m][r], 31);
}
/// Calls write(row of D, column of the warp, sum) for what this lane holds.
template <typename Write>
__device__ __forceinline__ void for_each_accumulator(const Accumulators& accumulators, Write write) {
  if (threadIdx.x % 32 != 0) return;
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) write(m, r, accumulators[m][r]);
}
#else
constexpr int kColumns = LANES * VEC;
using Accumulators = Accumulator[M_ROWS][VEC];
constexpr int kGroups = THREADS / LANES;  // rows of B that a block reads at once

/// COUNT neighbouring k: first all loads, then all multiplications.
template <int COUNT>
__device__ __forceinline__ void add_chunks(Accumulators& accumulators, const DTYPE* A, const DTYPE* column, int k0,
                                           int N, int K) {
  Chunk chunks[COUNT];
#pragma unroll
  for (int u = 0; u < COUNT; ++u) chunks[u].load(column + static_cast<long long>(k0 + u) * N);
#pragma unroll
  for (int u = 0; u < COUNT; ++u)
#pragma unroll
    for (int m = 0; m < M_ROWS; ++m) {
      const float x = to_float(TRANS_A ? A[static_cast<long long>(k0 + u) * M_ROWS + m]
                                       : A[static_cast<long long>(m) * K + k0 + u]);
#pragma unroll
      for (int e = 0; e < VEC; ++e) accumulators[m][e] += x * chunks[u].get(e);
    }
}

/// Lane l has VEC of the block's columns, from l % LANES * VEC on, and the k of group g: runs of UNROLL.
__device__ __forceinline__ void accumulate(Accumulators& accumulators, const DTYPE* A, const DTYPE* B, int n0, int N,
                                           int K) {
  const int group = static_cast<int>(threadIdx.x) / LANES;
  const int column = n0 + static_cast<int>(threadIdx.x) % LANES * VEC;
  const DTYPE* mine = B + (column < N ? column : N - VEC);  // VEC divides N
  constexpr int kStride = kGroups * UNROLL;
  int k0 = 0;
#pragma unroll 1
  for (; K - k0 >= kStride; k0 += kStride) add_chunks<UNROLL>(accumulators, A, mine, k0 + group * UNROLL, N, K);
#pragma unroll 1
  for (k0 += group; k0 < K; k0 += kGroups) {
    add_chunks<1>(accumulators, A, mine, k0, N, K);
    if (K - k0 <= kGroups) break;
  }
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int e = 0; e < VEC; ++e) accumulators[m][e] = add_lanes(accumulators[m][e], 31 & ~(LANES - 1));
}
template <typename Write>
__device__ __forceinline__ void for_each_accumulator(const Accumulators& accumulators, Write write) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane >= LANES) return;
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int e = 0; e < VEC; ++e) write(m, lane * VEC + e, accumulators[m][e]);
}
#endif
