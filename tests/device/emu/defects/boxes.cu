// Tensor copies. 2 blocks of 64 threads; `flags` holds two tensor maps: of in and of out, 16 x 16 floats, box 16 x 4.
#include "hopper.cuh"

#define LOAD_BOX(to, map, x, y, b)                                                                          \
  asm volatile(                                                                                             \
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"( \
          AT(to)),                                                                                          \
      "l"(map), "r"(x), "r"(y), "r"(AT(b))                                                                  \
      : "memory")
#define STORE_BOX(map, x, y, from)                                                                              \
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), \
               "r"(y), "r"(AT(from))                                                                            \
               : "memory")

CASE boxes(const float*, float* out, unsigned* flags, int) {
  __shared__ __align__(128) float tile[2][64];
  __shared__ unsigned long long full;
  const int t = threadIdx.x, y = 8 * blockIdx.x;
  const unsigned* to = flags + 32;
  if (t == 0) {
    INIT(&full, 1);
    FENCE_INIT();
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    if (t == 0) {
      EXPECT(&full, C == 2 ? 128 : 256);
      LOAD_BOX(tile[0] + (C == 6 ? 4 : C == 7 ? 128 : 0), flags, 0, y + 4 * k, &full);  // found: 6 7
    }
    if (C != 1) WAIT(&full, k);  // found: 2
    const float x = tile[0][t];  // found: 1
    if (C != 9 || t < 60) tile[1][t] = x * 2;  // found: 4
    if (C != 3) FENCE_ASYNC();
    __syncthreads();
    if (t == 0) {
      STORE_BOX(to, 0, (C == 5 ? 0 : y) + 4 * k, tile[1]);  // found: 3 5 8 9
      COMMIT();
      if (C != 4 && C != 8) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      if (C == 8 && k == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}
KERNEL(boxes, 0)
KERNEL(boxes, 1)
KERNEL(boxes, 2)
KERNEL(boxes, 3)
KERNEL(boxes, 4)
KERNEL(boxes, 5)
KERNEL(boxes, 6)
KERNEL(boxes, 7)
KERNEL(boxes, 8)
KERNEL(boxes, 9)
