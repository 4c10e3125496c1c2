#pragma once
// Four non-zeros that lie side by side, from a multiple of four: one access of their columns, one (fp64: two) of their values.
#include "common/stream.cuh"
#include "common/types.cuh"

struct Quad {
  static constexpr int kNone = -1;
  int columns[4];  ///< kNone where there is no non-zero of ours
  DTYPE values[4];

  /// Those from `at` that are in [begin, end); Z is the number of all: behind it nothing is read.
  __device__ __forceinline__ void load(const int* __restrict__ from_columns, const DTYPE* __restrict__ from_values, int at,
                                       int begin, int end, int Z) {
    if (at >= begin && at + 4 <= end) {
      whole(from_columns + at, from_values + at);
    } else if (at < end && at + 4 <= Z) {
      whole(from_columns + at, from_values + at);
#pragma unroll
      for (int i = 0; i < 4; ++i) columns[i] = at + i >= begin && at + i < end ? columns[i] : kNone;
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const bool ours = at + i >= begin && at + i < end;
        columns[i] = ours ? from_columns[at + i] : kNone;
        values[i] = ours ? from_values[at + i] : DTYPE(0);
      }
    }
  }

  __device__ __forceinline__ DTYPE product(int i, const DTYPE* __restrict__ x) const {
    return columns[i] == kNone ? DTYPE(0) : values[i] * x[columns[i]];
  }
  __device__ __forceinline__ DTYPE sum(const DTYPE* __restrict__ x) const {
    const DTYPE a = product(0, x), b = product(1, x), c = product(2, x), d = product(3, x);
    return (a + b) + (c + d);
  }

 private:
  __device__ __forceinline__ void whole(const int* __restrict__ from_columns, const DTYPE* __restrict__ from_values) {
    constexpr int kVec = 16 / sizeof(DTYPE);
    const auto four = __builtin_bit_cast(Vector<int, 4>, load_once(from_columns));
#pragma unroll
    for (int i = 0; i < 4; ++i) columns[i] = four.at[i];
#pragma unroll
    for (int i = 0; i < 4; i += kVec) {
      const auto several = __builtin_bit_cast(Vector<DTYPE, kVec>, load_once(from_values + i));
#pragma unroll
      for (int e = 0; e < kVec; ++e) values[i + e] = several.at[e];
    }
  }
};
