// wgmma: operands and accumulators in flight. 128 threads multiply 64 x 16 by 16 x 8 in bf16, three times; in: 256 floats.
#include "hopper.cuh"

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT_WGMMA() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT_WGMMA(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
#define WGMMA(d, a, b)                                                                                        \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                               \
               : "l"(a), "l"(b)                                                                               \
               : "memory")

/// 8 x 8 matrices of 128 bytes: the next one in k comes first, then the next 8 rows.
__device__ __forceinline__ unsigned long long descriptor(const void* matrix) {
  return (AT(matrix) & 0x3ffff) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}
__device__ __forceinline__ unsigned short bf16(float x) { return __float_as_uint(x) >> 16; }

CASE multiply(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(128) unsigned short a[1024], b[128];
  const int t = threadIdx.x;
  float d[4] = {}, early = 0;
#pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    for (int i = t; i < 1024; i += 128) a[i] = bf16(in[i % 256] + k);
    b[t] = bf16(in[t]);
    if (C != 1) FENCE_ASYNC();
    if (C != 2) __syncthreads();
    FENCE();
    WGMMA(d, descriptor(a) + (C == 7 ? 128 : 0), descriptor(b));  // found: 1 2 7
    if (C != 6) COMMIT_WGMMA();
    if (C == 3) asm volatile("mul.f32 %0, %1, %1;" : "=f"(early) : "f"(d[1]));  // found: 3
    if (C == 5) a[t] = 0;  // found: 5
    if (C == 4)
      WAIT_WGMMA(1);
    else
      WAIT_WGMMA(0);
    early += d[0] * 2;  // found: 4 6
    if (C == 8) b[127 - t] = 0;  // no defect: the wait was for the work of all four warps
    __syncthreads();
  }
  out[t] = d[0] + early;
  out[128 + t] = d[1];
}
KERNEL(multiply, 0)
KERNEL(multiply, 1)
KERNEL(multiply, 2)
KERNEL(multiply, 3)
KERNEL(multiply, 4)
KERNEL(multiply, 5)
KERNEL(multiply, 6)
KERNEL(multiply, 7)
KERNEL(multiply, 8)

// Two tiles in flight, copied by warp 4: a consumer that lets a buffer go while its product still reads it. 160 threads.
struct Tiles {
  unsigned short a[2][1024];
  unsigned short b[128];
  unsigned long long full[2], empty[2];
};
CASE tiles(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(128) Tiles tiles;
  const int t = threadIdx.x;
  if (t < 128) tiles.b[t] = bf16(in[t]);
  FENCE_ASYNC();
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      INIT(&tiles.full[s], 1);
      INIT(&tiles.empty[s], 4);
    }
    FENCE_INIT();
  }
  __syncthreads();
  if (t == 128) {
#pragma unroll 1
    for (int k = 0; k < 6; ++k) {
      const int s = k % 2;
      if (k >= 2) WAIT(&tiles.empty[s], k / 2 - 1 & 1);
      EXPECT(&tiles.full[s], 1024);
      LOAD(tiles.a[s], in, 1024, &tiles.full[s]);  // found: 1 2
    }
  } else if (t < 128) {
    float d[4] = {};
#pragma unroll 1
    for (int k = 0; k < 6; ++k) {
      const int s = k % 2;
      if (C != 3 || k == 0) WAIT(&tiles.full[s], k / 2 & 1);
      FENCE();
      WGMMA(d, descriptor(tiles.a[s]), descriptor(tiles.b));  // found: 3
      COMMIT_WGMMA();
      if (C == 1)
        WAIT_WGMMA(1);
      else if (C != 2)
        WAIT_WGMMA(0);
      if (t % 32 == 0) ARRIVE(&tiles.empty[s]);
      if (C == 2) WAIT_WGMMA(0);
    }
    WAIT_WGMMA(0);
    out[t] = d[0];
  }
}
KERNEL(tiles, 0)
KERNEL(tiles, 1)
KERNEL(tiles, 2)
KERNEL(tiles, 3)

// A sum that goes from turn to turn, two products in flight; a second one that is scaled in between.
CASE chain(const float* in, float* out, unsigned*, int n) {
  __shared__ __align__(128) unsigned short a[1024], b[128];
  const int t = threadIdx.x;
  float d[4] = {}, e[4];
  for (int i = t; i < 1024; i += 128) a[i] = bf16(in[i % 256]);
  b[t] = bf16(in[t]);
  FENCE_ASYNC();
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < n / 64; ++k) {
    if (C != 1 && (C != 2 || k == 0)) FENCE();
    if (C == 3) d[1] *= 2;
    if (C == 3) asm volatile("" : "+f"(d[1]));
    WGMMA(d, descriptor(a), descriptor(b));  // found: 1 3
    COMMIT_WGMMA();
    if (C == 4) d[1] += 1;  // found: 4
    if (k > 0) WAIT_WGMMA(1);
  }
  if (C != 5) WAIT_WGMMA(0);
  for (int i = 0; C != 5 && i < 4; ++i) asm volatile("" : "+f"(d[i])::"memory");
  for (int i = 0; i < 4; ++i) e[i] = d[i] * 3;  // found: 5
  for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(e[i]));
  if (C != 6) FENCE();
  WGMMA(e, descriptor(a), descriptor(b));  // found: 6
  COMMIT_WGMMA();
  WAIT_WGMMA(0);
  out[t] = d[0] + e[1];
  out[128 + t] = d[1];
}
KERNEL(chain, 0)
KERNEL(chain, 1)
KERNEL(chain, 2)
KERNEL(chain, 3)
KERNEL(chain, 4)
KERNEL(chain, 5)
KERNEL(chain, 6)
