#pragma once
// What a row's loss is made of, in one pass: the largest logit so far, and the sums of exp(x - largest) and of x.
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

struct RowSums {
  float largest = -infinity(), sum = 0.0f, total = 0.0f;

  /// Several numbers at once: when the largest grows, the sum is rescaled (Milakov and Gimelshein 2018).
  template <int Count> __device__ __forceinline__ void add(const float (&x)[Count]) {
    float larger = largest;
#pragma unroll
    for (int e = 0; e < Count; ++e) larger = fmaxf(larger, x[e]);  // passes over NaN; x - larger does not
    const float from = larger == -infinity() ? 0.0f : larger;      // of -inf alone: exponentials of 0, not of NaN
    float part = 0.0f, part_of_total = 0.0f;  // many additions one after the other lose digits: a part at a time
#pragma unroll
    for (int e = 0; e < Count; ++e) {
      part += exp_below(x[e], from);
      if (SMOOTHED) part_of_total += x[e];
    }
    sum = (larger == largest ? sum : sum * exp_below(largest, larger)) + part;
    total += part_of_total;
    largest = larger;
  }

  /// What it is worth when the largest of the row is `all`.
  __device__ __forceinline__ float share_of(float all) const {
    return largest == -infinity() ? sum : sum * exp_below(largest, all);
  }
};

/// Over the Lanes threads of each row; all threads of the block call it and get their row's. `words` as over_row has it.
template <int Lanes> __device__ __forceinline__ RowSums over_threads(const RowSums& own, float* words) {
  RowSums row;
  row.largest = over_row<Lanes>(own.largest, words, Larger());
  row.sum = over_row<Lanes>(own.share_of(row.largest), words, Sum());
  if (SMOOTHED) row.total = over_row<Lanes>(own.total, words, Sum());
  return row;
}

/// One thread: the row's loss and lse.
__device__ __forceinline__ void write_loss(const RowSums& row, const DTYPE* x, int label, int V, float smoothing,
                                           float* loss, float* lse) {
  const float logarithm = logf(row.sum);
  *lse = row.largest + logarithm;
  if (label < 0) {
    *loss = 0.0f;
    return;
  }
  // Not lse - x[label]: the sum would be rounded to the digits of a large logit.
  float value = logarithm + (1.0f - smoothing) * (row.largest - to_float(x[label]));
  if (SMOOTHED) value += smoothing * (row.largest - row.total / static_cast<float>(V));
  *loss = value;
}
