// Bulk copies and mbarriers: a ring of two stages, warp 1 copies and warp 0 computes; results stored by bulk copies. 64
// threads; in: 256 floats.
#include "hopper.cuh"

struct Ring {
  float stage[2][64];
  unsigned long long full[2], empty[2];
};

CASE ring(const float* in, float* out, unsigned*, int n) {
  __shared__ __align__(128) Ring ring;
  const int t = threadIdx.x, tiles = n / 64;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      INIT(&ring.full[s], 1);
      INIT(&ring.empty[s], C == 6 ? 33 : C == 12 ? 1 : 32);
      if (C == 18) INIT(&ring.empty[s], 32);  // found: 18
    }
    if (C != 7) FENCE_INIT();
  }
  if (C != 8) __syncthreads();
  if (t == 32) {
#pragma unroll 1
    for (int k = 0; k < tiles; ++k) {
      const int s = k % 2;
      if (C != 5 && k >= 2) WAIT(&ring.empty[s], k / 2 - 1 & 1);  // found: 6 12
      if (C != 14 || k != 1) EXPECT(&ring.full[s], C == 2 ? 272 : C == 3 ? 240 : 256);  // found: 5
      const float* from = in + 64 * k + (C == 9 ? 64 : C == 10 ? 1 : 0);
      LOAD(ring.stage[s], from, C == 11 ? 264 : 256, &ring.full[s]);  // found: 7 8 9 10 11 15 19
      if (C == 13 && k == 1) EXPECT(&ring.full[s], 0);  // found: 13
    }
  } else if (t < 32) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < (C == 15 ? tiles - 1 : tiles); ++k) {
      const int s = k % 2;
      if (C != 1) WAIT(&ring.full[s], C == 4 ? 0 : k / 2 & 1);  // found: 2 3 14
      if (C == 19) ARRIVE(&ring.empty[s]);
      sum += ring.stage[s][t] + ring.stage[s][t + 32];  // found: 1 4
      if (C == 16) ring.full[s] = 0;  // found: 16
      if (C != 19) ARRIVE(&ring.empty[s]);
    }
    out[t] = sum;
  }
}
KERNEL(ring, 0)
KERNEL(ring, 1)
KERNEL(ring, 2)
KERNEL(ring, 3)
KERNEL(ring, 4)
KERNEL(ring, 5)
KERNEL(ring, 6)
KERNEL(ring, 7)
KERNEL(ring, 8)
KERNEL(ring, 9)
KERNEL(ring, 10)
KERNEL(ring, 11)
KERNEL(ring, 12)
KERNEL(ring, 13)
KERNEL(ring, 14)
KERNEL(ring, 15)
KERNEL(ring, 16)
KERNEL(ring, 18)
KERNEL(ring, 19)

CASE store(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(128) float tile[64];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    tile[t] = in[64 * k + t] * 2;  // found: 3 5
    if (C != 1) FENCE_ASYNC();
    if (C != 2) __syncthreads();
    if (t == 0) {
      STORE(out + 64 * k, tile, 256);  // found: 1 2 4
      if (C != 5) COMMIT();
      if (C != 3 && (C != 4 || k < 2)) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    if (C != 6) __syncthreads();
  }
  if (t == 0 && C != 7 && C != 4) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  __syncthreads();
  if (C != 4) out[192 + t] = out[t] + 1;  // found: 7
}
KERNEL(store, 0)
KERNEL(store, 1)
KERNEL(store, 2)
KERNEL(store, 3)
KERNEL(store, 4)
KERNEL(store, 5)
KERNEL(store, 7)
