// A header as one finds it in a repository: templates in a namespace, standard headers, an assertion.
#pragma once
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "cuda_runtime.h"

namespace vectors {

/// y = a x, PER_THREAD elements a thread.
template <typename T, int PER_THREAD>
__global__ void scale(const T* x, T* y, int n, float a) {
  static_assert(std::is_same_v<T, float> || sizeof(T) == 2);
  assert(n >= 0);
  for (int i = 0; i < PER_THREAD; ++i) {
    const std::uint32_t at = (blockIdx.x * PER_THREAD + i) * blockDim.x + threadIdx.x;
    if (at < n) y[at] = T(a * float(x[at]));
  }
}

}  // namespace vectors
