// What H should be, by one block of 1024 threads.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(1024)
reference(const DTYPE* X, int N, int BINS, ACC* value, ACC* scale) {
  for (int bin = static_cast<int>(threadIdx.x); bin < BINS; bin += 1024) {
    value[bin] = 0;
    scale[bin] = 0;
  }
  __syncthreads();
  for (long long i = threadIdx.x; i < N; i += 1024) atomicAdd(value + X[i], ACC(1));
}
