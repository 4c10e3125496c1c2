// cp.async: waiting for the wrong group, buffers that are still read. 64 threads, 4 stages.
#include "defect.cuh"

// A macro: in a function, the line would be the function's.
#define COPY(to, from)                                                                                         \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), \
               "l"(from)                                                                                       \
               : "memory")

CASE pipeline(const float* in, float* out, unsigned*, int n) {
  __shared__ float stage[3][64];
  const int t = threadIdx.x, tiles = n / 64;
  float sum = 0;
  for (int s = 0; s < 2; ++s) {
    COPY(&stage[s][t], in + 64 * s + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    if (C == 1)
      asm volatile("cp.async.wait_group 2;" ::: "memory");
    else
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    if (C == 6)
      __syncwarp();
    else if (C != 2)
      __syncthreads();
    if (k + 2 < tiles || C == 7) {
      const int next = (k + 2) % (C == 3 ? 2 : 3);
      COPY(&stage[next][t], in + 64 * (k + 2) + t);  // found: 3 7
    }
    if (C != 4) asm volatile("cp.async.commit_group;" ::: "memory");
    sum += stage[k % 3][63 - t];  // found: 1 2 4 6
  }
  out[t] = sum;
}
KERNEL(pipeline, 0)
KERNEL(pipeline, 1)
KERNEL(pipeline, 2)
KERNEL(pipeline, 3)
KERNEL(pipeline, 4)
KERNEL(pipeline, 6)
KERNEL(pipeline, 7)
