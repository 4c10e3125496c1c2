// Every kernel exists in several cases: 0 is right, the others have one defect each. "found: 3" in a comment marks the
// line that the sanitizer must name in case 3.
#pragma once

#define KERNEL(name, number)                                                                          \
  extern "C" __global__ void name##_##number(const float* in, float* out, unsigned* flags, int n) { \
    name<number>(in, out, flags, n);                                                                  \
  }
#define CASE template <int C> __device__ __forceinline__ void

constexpr unsigned kAll = 0xffffffffu;
