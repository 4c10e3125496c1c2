#pragma once
// What persistent blocks do with their rows. The includer defines LANES, ROWS, VEC, ROUNDS and AHEAD.
#include "common/rows/column_sums.cuh"
#include "common/rows/row_reduce.cuh"
#include "common/rows/row_tile.cuh"
#include "gradient.cuh"

using Tile = RowTile<DTYPE, VEC, ROUNDS, LANES>;

/// What the rows of a block add to dG and dB.
struct Sums {
  ColumnSums<VEC, ROUNDS, LANES> gamma, beta;
};

/// The rows, or a contiguous part of each: `chunks` of the N / VEC that a row has.
struct Rows {
  const DTYPE *X, *dY, *G;
  const float *mean, *rstd;
  DTYPE* dX;
  int M, N, chunks;
  long long pitch_x, pitch_dy, pitch_dx;
};

/// A thread's share of a row. A row that is not there has no chunks: it takes part in the shuffles.
struct Share {
  Tile x, dy;
  float mean, rstd;

  __device__ __forceinline__ void load(const Rows& of, long long row, int lane) {
    const int chunks = row < of.M ? of.chunks : 0;
    x.load(of.X + row * of.pitch_x, chunks, lane, 0.0f);
    dy.load(of.dY + row * of.pitch_dy, chunks, lane, 0.0f);
    mean = row < of.M ? of.mean[row] : 0.0f;
    rstd = row < of.M ? of.rstd[row] : 0.0f;
  }
};

/// Writes dX of every `step`-th group of ROWS rows from number `first` on; what they add to columns stays with the
/// threads. `across` gets the sums of the block's part of the row, in all threads, and returns the row's.
template <typename Across>
__device__ __forceinline__ Sums take_rows(const Rows& of, long long first, long long step, Across across) {
  __shared__ Products words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES, group = static_cast<int>(threadIdx.x) / LANES;
  Tile gamma;
  gamma.load(of.G, of.chunks, lane, 0.0f);
  Sums sums;
  Share own, next;
  if (AHEAD) next.load(of, first * ROWS + group, lane);
  for (; first * ROWS < of.M; first += step) {
    const long long row = first * ROWS + group;
    if (AHEAD) {
      own = next;
      next.load(of, row + step * ROWS, lane);
    } else {
      own.load(of, row, lane);
    }
    Products products;
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r)
      products = AddProducts()(products, products_of(own.x.chunks[r], own.dy.chunks[r], gamma.chunks[r], own.mean));
    const Line line = line_of(across(over_row<LANES>(products, words, AddProducts())), own.rstd, of.N);

    auto* dx = reinterpret_cast<Chunk*>(of.dX + row * of.pitch_dx);
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
      const Chunk result = gradient_of(own.x.chunks[r], own.dy.chunks[r], gamma.chunks[r], own.mean, own.rstd, line,
                                       [&](int e, float dy, float scaled, float apart) {
                                         sums.gamma.at[r * VEC + e] += scaled * apart;
                                         sums.beta.at[r * VEC + e] += dy;
                                       });
      if (row < of.M && lane + r * LANES < of.chunks) dx[lane + r * LANES] = result;
    }
  }
  return sums;
}

/// What the groups of a block have, added up; afterwards the last group has it. `words` as in ColumnSums::over_groups.
__device__ __forceinline__ void over_groups(Sums& sums, float* words, int lane, int group) {
  sums.gamma.over_groups<ROWS>(words, lane, group);
  if (ROWS > 1) __syncthreads();  // the last group may still read the words
  sums.beta.over_groups<ROWS>(words, lane, group);
}
