#pragma once
// 64 columns of a row of blocks by a warp, on tensor cores (mma.m16n8k16): blocks of whole 16 rows of 16-bit numbers.
// Fragments come from memory as they are, by 16 bytes: which 8 of the 64 columns make up one mma is free, so that a lane's 8
// neighbouring columns of a row of B are one column of each of 8 of them, and what it holds of C in the end are 16
// neighbouring columns.
#include "common/sm80/mma_sync.cuh"

constexpr int kColumns = 64;  ///< of a warp
constexpr int kParts = SIDE / 16;
constexpr int kSums = kParts * 32;  ///< of a lane

/// Columns k to k + 16 of a block, and the rows of B that they meet.
struct Step {
  unsigned a[kParts][4];
  uint4 b[4];

  __device__ __forceinline__ void load(const DTYPE* __restrict__ block, const DTYPE* __restrict__ rows, int part, int N,
                                       int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32, group = lane / 4, pair = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = 16 * part + pair + i % 2 + i / 2 * 8;
      b[i] = make_uint4(0, 0, 0, 0);
      if (first + 8 * group < N)
        b[i] = *reinterpret_cast<const uint4*>(rows + static_cast<long long>(row) * N + first + 8 * group);
    }
#pragma unroll
    for (int m = 0; m < kParts; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a[m][i] = *reinterpret_cast<const unsigned*>(block + (16 * m + group + i % 2 * 8) * SIDE + 16 * part + pair + i / 2 * 8);
  }
};

struct Sums {
  float at[kParts][8][4];

  __device__ __forceinline__ void add(const Step& step) {
    const unsigned* even[2] = {&step.b[0].x, &step.b[2].x};
    const unsigned* odd[2] = {&step.b[1].x, &step.b[3].x};
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const unsigned halves = n % 2 == 0 ? 0x5410U : 0x7632U;
      const unsigned b0 = __byte_perm(even[0][n / 2], odd[0][n / 2], halves);
      const unsigned b1 = __byte_perm(even[1][n / 2], odd[1][n / 2], halves);
#pragma unroll
      for (int m = 0; m < kParts; ++m) sm80::mma_m16n8k16<DTYPE>(at[m][n], step.a[m], b0, b1);
    }
  }

  /// Number i of this lane.
  __device__ __forceinline__ float& number(int i) { return at[i / 32][i / 4 % 8][i % 4]; }

  __device__ __forceinline__ void store(DTYPE* to, int N, int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int m = 0; m < kParts; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = 16 * m + lane / 4 + i / 2 * 8, n = first + 16 * (lane % 4) + 8 * (i % 2);
        Vector<DTYPE, 8> eight;
#pragma unroll
        for (int e = 0; e < 8; ++e) eight.at[e] = from_float<DTYPE>(at[m][e][i]);
        if (n < N) *reinterpret_cast<Vector<DTYPE, 8>*>(to + static_cast<long long>(row) * N + n) = eight;
      }
  }
};
