#pragma once
// The arithmetic of both gradients, a chunk at a time. The includer defines VEC. Chunks come by value:
// through a reference into memory each of their registers would be a load of its own.
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// Sum of gamma dy x: what the mean is made of, less factors that the row shares.
__device__ __forceinline__ float products_of(Chunk x, Chunk dy, Chunk gamma) {
  float product[VEC], sum = 0.0f;
  dy.each([&](int e, float value) { product[e] = value; });
  gamma.each([&](int e, float value) { product[e] *= value; });
  x.each([&](int e, float value) { sum += product[e] * value; });
  return sum;
}

/// What x is multiplied with in dx, from the row's sum of gamma dy x.
__device__ __forceinline__ float slope_of(float products, float rstd, int N) {
  return -products * rstd / static_cast<float>(N) * rstd * rstd;
}

/// dx = rstd gamma dy + slope x; visit(e, x, rstd dy) sees the factors of what an element adds to its column.
template <typename Visit>
__device__ __forceinline__ Chunk gradient_of(Chunk x, Chunk dy, Chunk gamma, float rstd,
                                             float slope, Visit visit) {
  float scaled[VEC], result[VEC];
  dy.each([&](int e, float value) { scaled[e] = value * rstd; });
  x.each([&](int e, float value) {
    visit(e, value, scaled[e]);
    result[e] = value * slope;
  });
  gamma.each([&](int e, float value) { result[e] += scaled[e] * value; });
  Chunk dx = {};
  dx.set([&](int e) { return result[e]; });
  return dx;
}
