// Member masks, shuffles, barriers in divergent code, deadlocks. 64 threads.
#include "defect.cuh"

CASE masks(const float* in, float* out, unsigned*, int) {
  const int t = threadIdx.x, lane = t % 32;
  float x = in[t];
  if (lane < 16) {
    const unsigned half = C == 1 ? 0x7fffu : C == 2 && lane == 3 ? 0x7fffu : 0xffffu;
    x += __shfl_xor_sync(half, x, C == 3 ? 16 : 8);  // found: 1 2 3
  } else {
    x += __shfl_xor_sync(C == 4 ? 0xfffe0000u : 0xffff0000u, x, 4);  // found: 4
  }
  if (C == 5 ? lane != 7 : true) x += __ballot_sync(C == 5 ? 0xffffff00u : kAll, x > 1);  // found: 5
  if (lane < 8) x += __reduce_add_sync(C == 6 ? 0xfeu : 0xffu, static_cast<unsigned>(lane));  // found: 6
  if (lane < 8) __syncwarp(C == 7 ? 0x7fu : 0xffu);  // found: 7
  if (lane < 8) x += __match_any_sync(C == 8 ? 0xf7u : 0xffu, lane / 2);  // found: 8
  out[t] = x;
}
KERNEL(masks, 0)
KERNEL(masks, 1)
KERNEL(masks, 2)
KERNEL(masks, 3)
KERNEL(masks, 4)
KERNEL(masks, 5)
KERNEL(masks, 6)
KERNEL(masks, 7)
KERNEL(masks, 8)

CASE barriers(const float* in, float* out, unsigned*, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (C == 1) {
    if (t % 2 == 0)
      __syncthreads();
    else
      __syncthreads();  // found: 1
  } else if (C == 2) {
    if (t < 40) __syncthreads();
    out[t] = tile[t];
    __syncthreads();  // found: 2
  } else if (C == 3) {
    if (t < 32)
      asm volatile("bar.sync 1, 64;" ::: "memory");  // found: 3
    else
      asm volatile("bar.sync 2, 64;" ::: "memory");
  } else if (C == 4) {
    if (t >= 32)
      asm volatile("bar.sync 1, 96;" ::: "memory");
    else
      asm volatile("bar.sync 1, 96;" ::: "memory");  // found: 4
  } else if (t < 32) {  // warps may stand at different places
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (C == 5 && t % 32 < 4) __shfl_sync(kAll, t, 0);  // found: 5
  if (C == 5) __syncthreads();
  out[t] = tile[63 - t];
}
KERNEL(barriers, 0)
KERNEL(barriers, 1)
KERNEL(barriers, 2)
KERNEL(barriers, 3)
KERNEL(barriers, 4)
KERNEL(barriers, 5)

// Nobody waits for threads that have exited; 1: they wait for each other.
CASE gone(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (C == 0 && t >= 40) return;
  if (C == 1 && t >= 40) __syncthreads();
  __syncthreads();  // found: 1
  out[t] = t < 40 ? tile[39 - t] : 0;
}
KERNEL(gone, 0)
KERNEL(gone, 1)
