#pragma once
// What the vectorised rungs compute, whatever the op: z = a x + y, x + y or a x, with one rounding in fp32 and one to
// DTYPE.
#include "common/elementwise/map.cuh"

template <int FLIGHT>
__device__ __forceinline__ void axpy_elements(const DTYPE* x, const DTYPE* y, DTYPE* z, long long count, float a) {
  if constexpr (OP == 0) map_elements<VEC, FLIGHT>([a](float p, float q) { return fmaf(a, p, q); }, count, z, x, y);
  if constexpr (OP == 1) map_elements<VEC, FLIGHT>([](float p, float q) { return p + q; }, count, z, x, y);
  if constexpr (OP == 2) map_elements<VEC, FLIGHT>([a](float p) { return a * p; }, count, z, x);
}
