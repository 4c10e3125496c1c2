#pragma once
// Sums over all rows, one for each column: gradients of what rows share (gamma, beta, a bias). Persistent blocks
// take row after row and add up their columns in registers, in fp32. What the groups of a block have is added up
// in shared memory, group by group; each block then writes one row of parts to a workspace, and a second launch adds up
// the parts of each column: always in the same order, so that the same input gives the same bits. Or it adds to the
// result by atomics: no workspace and no second launch, but the result must be 0 before, and the order is another one
// each time.
//
// A row of parts begins at a multiple of its chunks, as the row of a RowTile does: N % Vec == 0.
#include "common/rows/row_chunk.cuh"

/// The columns that a RowTile<T, Vec, Rounds, Lanes> gives a thread: at[r Vec + e] is of column (lane + r Lanes) Vec + e.
template <int Vec, int Rounds, int Lanes> struct ColumnSums {
  float at[Rounds * Vec] = {};

  /// All threads of the block call it: adds up what its Groups groups of Lanes threads have, one after another.
  /// Afterwards the last group has the sums. One barrier for each group but the last; `words` are shared memory, Lanes
  /// Rounds Vec floats (none with one group), which the last group may still read: a barrier before they are used again.
  template <int Groups> __device__ __forceinline__ void over_groups(float* words, int lane, int group) {
    for (int adding = 0; adding < Groups - 1; ++adding) {
      if (group == adding) {
#pragma unroll
        for (int p = 0; p < Rounds * Vec; ++p) words[p * Lanes + lane] = at[p];
      }
      __syncthreads();
      if (group == adding + 1) {
#pragma unroll
        for (int p = 0; p < Rounds * Vec; ++p) at[p] += words[p * Lanes + lane];
      }
    }
  }

  /// Writes the sums of a row of `count` chunks. No barrier.
  __device__ __forceinline__ void store(float* row, int count, int lane) const {
    constexpr int kWide = Vec < 4 ? Vec : 4;  // 16 bytes
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
      if (lane + r * Lanes < count) {
#pragma unroll
        for (int e = 0; e < Vec; e += kWide) {
          RowChunk<float, kWide> chunk;
          chunk.set([&](int i) { return at[r * Vec + e + i]; });
          reinterpret_cast<RowChunk<float, kWide>*>(row)[((lane + r * Lanes) * Vec + e) / kWide] = chunk;
        }
      }
  }

  /// Adds the sums to those of `row`, whose other blocks do so too. No barrier.
  __device__ __forceinline__ void add_to(float* row, int count, int lane) const {
#pragma unroll
    for (int r = 0; r < Rounds; ++r)
      if (lane + r * Lanes < count) {
#pragma unroll
        for (int e = 0; e < Vec; ++e) atomicAdd(row + (lane + r * Lanes) * Vec + e, at[r * Vec + e]);
      }
  }
};

/// The second launch: out[column] = sum of parts[i N + column], i = 0 .. count - 1. Blocks of 32 Groups threads, one
/// for each 32 columns: warp g adds up parts g, g + Groups, ...; then the warps' sums are added up in their order. One
/// barrier; `words` are shared memory, 32 Groups floats.
template <int Groups>
__device__ __forceinline__ void add_up_parts(const float* __restrict__ parts, int count, int N, float* __restrict__ out,
                                             float* words) {
  const int lane = static_cast<int>(threadIdx.x) % 32, group = static_cast<int>(threadIdx.x) / 32;
  const long long column = static_cast<long long>(blockIdx.x) * 32 + lane;
  float sum = 0.0f;
  if (column < N) {
#pragma unroll 4
    for (int i = group; i < count; i += Groups) sum += parts[static_cast<long long>(i) * N + column];
  }
  words[threadIdx.x] = sum;
  __syncthreads();
  if (group > 0 || column >= N) return;
  for (int g = 1; g < Groups; ++g) sum += words[g * 32 + lane];
  out[column] = sum;
}
