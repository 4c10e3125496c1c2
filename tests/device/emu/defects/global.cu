// Global and local memory: bounds, what was never written, races between blocks. 4 blocks of 64 threads; in: 256
// floats, out: 256 floats, flags: 64 words that are zero.
#include "defect.cuh"

CASE copy(const float* in, float* out, unsigned*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = C == 1 ? n : n - 1;
  const float right = in[i < last ? i + 1 : i];  // found: 1
  const float left = in[C == 2 ? i - 1 : i > 0 ? i - 1 : 0];  // found: 2
  const float before = C == 3 ? out[i] : 0;  // found: 3
  if (C != 4) __syncthreads();
  if (C == 5) {
    *reinterpret_cast<double*>(out + (i & ~1) + 1) = right;  // found: 5
    return;
  }
  out[C == 4 ? i + 1 : C == 6 ? i / 64 * 32 + threadIdx.x : i] = left + right + before;  // found: 4 6
}
KERNEL(copy, 0)
KERNEL(copy, 1)
KERNEL(copy, 2)
KERNEL(copy, 3)
KERNEL(copy, 4)
KERNEL(copy, 5)
KERNEL(copy, 6)

// A variable of the thread.
CASE local(const float* in, float* out, unsigned* flags, int n) {
  float window[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < (C == 1 ? 7 : 8); ++k) window[(k + flags[0]) & 7] = in[(i + k) % n];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k) sum += window[(k + flags[1]) & 7];  // found: 1
  const int at = C == 2 ? 8 : 7;
  const float one = *(static_cast<volatile float*>(window) + at + flags[2]);  // found: 2
  out[i] = sum + one;
}
KERNEL(local, 0)
KERNEL(local, 1)
KERNEL(local, 2)

// The last block sums what all blocks left (threadFenceReduction).
CASE last_block(const float* in, float* out, unsigned* flags, int) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float part[64];
  part[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += part[k];
    out[blockIdx.x] = sum;  // other: 1
    if (C == 3)
      __threadfence_block();
    else if (C != 1)
      __threadfence();
    unsigned before;
    if (C == 2)
      before = flags[0]++;  // found: 2
    else
      before = C == 5 ? atomicAdd_block(&flags[0], 1) : atomicAdd(&flags[0], 1);  // found: 5
    last = before == gridDim.x - 1;
    if (C != 4) __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b];  // found: 1 3 4
    out[8] = sum;
  }
}
KERNEL(last_block, 0)
KERNEL(last_block, 1)
KERNEL(last_block, 2)
KERNEL(last_block, 3)
KERNEL(last_block, 4)
KERNEL(last_block, 5)

// Blocks one after the other through a turn in memory (a split-K semaphore).
CASE turns(const float* in, float* out, unsigned* flags, int) {
  const int t = threadIdx.x;
  if (t == 0 && blockIdx.x != 0) {
    unsigned turn = 0;
    do {
      if (C == 1)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(turn) : "l"(flags) : "memory");
      else
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(turn) : "l"(flags) : "memory");
    } while (turn != blockIdx.x);
  }
  if (C != 2) __syncthreads();
  const float sum = blockIdx.x == 0 ? 0 : out[t];  // found: 1 2 3
  out[t] = sum + in[blockIdx.x * 64 + t];  // found: 4
  if (C != 4) __syncthreads();
  if (t == 0) {
    if (C == 3)
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flags), "r"(blockIdx.x + 1) : "memory");
    else
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags), "r"(blockIdx.x + 1) : "memory");
  }
}
KERNEL(turns, 0)
KERNEL(turns, 1)
KERNEL(turns, 2)
KERNEL(turns, 3)
KERNEL(turns, 4)

// All blocks meet, then read what their neighbour wrote.
CASE meet(const float* in, float* out, unsigned* flags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    if (C != 1) __threadfence();
    atomicAdd(flags, 1);
    while (*static_cast<volatile unsigned*>(flags) < (C == 2 ? 1 : gridDim.x)) {
    }
    if (C != 3) __threadfence();
  }
  __syncthreads();
  flags[i % 16 * 4 + 1] = 7;  // all the same: no race
  out[i + n] = out[(i + 64) % n];  // found: 1 2 3
}
KERNEL(meet, 0)
KERNEL(meet, 1)
KERNEL(meet, 2)
KERNEL(meet, 3)
