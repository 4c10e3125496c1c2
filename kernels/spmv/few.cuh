#pragma once
// A few non-zeros that lie side by side, from a multiple of as many: one access of 16 bytes of their values, one of their
// columns (fp64: of 8 bytes), so that what neighbouring lanes read lies without gaps.
#include "common/stream.cuh"
#include "common/types.cuh"

constexpr int kWide = 16 / sizeof(DTYPE);

template <int COUNT> __device__ __forceinline__ Vector<int, COUNT> columns_at(const int* __restrict__ from) {
  if constexpr (COUNT == 4) return __builtin_bit_cast(Vector<int, COUNT>, load_once(from));
  else return *reinterpret_cast<const Vector<int, COUNT>*>(from);
}

struct Few {
  static constexpr int kNone = -1;
  int columns[kWide];  ///< kNone where there is no non-zero of ours
  DTYPE values[kWide];

  /// Those from `at` that are in [begin, end); Z is the number of all: behind it nothing is read.
  __device__ __forceinline__ void load(const int* __restrict__ from_columns, const DTYPE* __restrict__ from_values, int at,
                                       int begin, int end, int Z) {
    if (at >= begin && at + kWide <= end) {
      whole(from_columns + at, from_values + at);
    } else if (at < end && at + kWide <= Z) {
      whole(from_columns + at, from_values + at);
#pragma unroll
      for (int i = 0; i < kWide; ++i) columns[i] = at + i >= begin && at + i < end ? columns[i] : kNone;
    } else {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
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
    DTYPE pairs[kWide / 2];
#pragma unroll
    for (int i = 0; i < kWide / 2; ++i) pairs[i] = product(2 * i, x) + product(2 * i + 1, x);
    return kWide == 4 ? pairs[0] + pairs[kWide / 2 - 1] : pairs[0];
  }

 private:
  __device__ __forceinline__ void whole(const int* __restrict__ from_columns, const DTYPE* __restrict__ from_values) {
    const auto several = __builtin_bit_cast(Vector<DTYPE, kWide>, load_once(from_values));
    const Vector<int, kWide> indices = columns_at<kWide>(from_columns);
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      columns[i] = indices.at[i];
      values[i] = several.at[i];
    }
  }
};
