#pragma once
// What one body does to another.
#include "common/rows/row_math.cuh"

struct Sum {
  float x = 0, y = 0, z = 0;

  /// 18 operations; of a body with itself 0.
  __device__ __forceinline__ void add(const float4& own, const float4& other, float softening2) {
    const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    const float inverse = rsqrt_fast(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening2))));
    const float pull = other.w * (inverse * inverse * inverse);
    x = fmaf(pull, dx, x);
    y = fmaf(pull, dy, y);
    z = fmaf(pull, dz, z);
  }

  __device__ __forceinline__ void store(float* to) const {
    to[0] = x;
    to[1] = y;
    to[2] = z;
  }
};
