#pragma once
// 64 columns of a row of blocks by a warp, two a lane, with what is said of tensor_sums.cuh: any type, any SIDE.
#include "common/types.cuh"

constexpr int kColumns = 64;  ///< of a warp
constexpr int kParts = 1;     ///< steps of a block
constexpr int kSums = SIDE * 2;
constexpr int kTogether = SIDE % 4 == 0 ? 4 : 1;  ///< columns of a block, one load

/// A block and the rows of B that it meets, where they lie: there is too much of them to hold.
struct Step {
  const DTYPE *block, *rows;
  int N, first;

  __device__ __forceinline__ void load(const DTYPE* __restrict__ from_block, const DTYPE* __restrict__ from_rows, int, int width,
                                       int column) {
    block = from_block;
    rows = from_rows;
    N = width;
    first = column + static_cast<int>(threadIdx.x) % 32;
  }
};

struct Sums {
  float at[SIDE][2];

  __device__ __forceinline__ void add(const Step& step) {
#pragma unroll 1
    for (int k = 0; k < SIDE; k += kTogether) {
      float b[kTogether][2];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const DTYPE* row = step.rows + static_cast<long long>(k + i) * step.N + step.first;
        b[i][0] = step.first < step.N ? to_float(row[0]) : 0.0f;
        b[i][1] = step.first + 32 < step.N ? to_float(row[32]) : 0.0f;
      }
#pragma unroll
      for (int r = 0; r < SIDE; ++r) {
        const auto a = *reinterpret_cast<const Vector<DTYPE, kTogether>*>(step.block + r * SIDE + k);
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          at[r][0] += to_float(a.at[i]) * b[i][0];
          at[r][1] += to_float(a.at[i]) * b[i][1];
        }
      }
    }
  }

  __device__ __forceinline__ float& number(int i) { return at[i / 2][i % 2]; }

  __device__ __forceinline__ void store(DTYPE* to, int N, int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      const int n = first + lane + i % 2 * 32;
      if (n < N) to[static_cast<long long>(i / 2) * N + n] = from_float<DTYPE>(number(i));
    }
  }
};
