#pragma once
// The arithmetic of the three gradients, a chunk at a time. The includer defines VEC. Chunks come by value:
// through a reference into memory each of their registers would be a load of its own.
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// What the two means of a row are made of: sums of a = gamma dy, and of a (x - mean).
struct Products {
  float a = 0, apart = 0;
};
struct AddProducts {
  __device__ __forceinline__ Products operator()(Products p, Products q) const {
    return {p.a + q.a, p.apart + q.apart};
  }
};
__device__ __forceinline__ Products from_lane(Products value, int mask) {
  return {from_lane(value.a, mask), from_lane(value.apart, mask)};
}

/// x - mean comes first: x rstd - mean rstd would lose the digits of a row that is far from 0.
__device__ __forceinline__ Products products_of(Chunk x, Chunk dy, Chunk gamma, float mean) {
  float product[VEC];
  Products sums;
  dy.each([&](int e, float value) { product[e] = value; });
  gamma.each([&](int e, float value) { product[e] *= value; });
  x.each([&](int e, float value) {
    sums.a += product[e];
    sums.apart += product[e] * (value - mean);
  });
  return sums;
}

/// What dx has besides rstd gamma dy: shift + slope (x - mean).
struct Line {
  float shift, slope;
};
/// The sums come first: rstd / N, or rstd to the third, is 0 or has no digits left where rstd is tiny.
__device__ __forceinline__ Line line_of(Products sums, float rstd, int N) {
  const float n = static_cast<float>(N);
  return {-sums.a * rstd / n, -sums.apart * rstd / n * rstd * rstd};
}

/// dx; visit(e, dy, rstd dy, x - mean) sees what an element adds to its columns.
template <typename Visit>
__device__ __forceinline__ Chunk gradient_of(Chunk x, Chunk dy, Chunk gamma, float mean,
                                             float rstd, Line line, Visit visit) {
  float gradients[VEC], result[VEC];
  dy.each([&](int e, float value) { gradients[e] = value; });
  x.each([&](int e, float value) {
    visit(e, gradients[e], gradients[e] * rstd, value - mean);
    result[e] = line.slope * (value - mean) + line.shift;
  });
  gamma.each([&](int e, float value) { result[e] += gradients[e] * rstd * value; });
  Chunk dx = {};
  dx.set([&](int e) { return result[e]; });
  return dx;
}
