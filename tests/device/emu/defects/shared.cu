// Shared memory: races among warps and among lanes, what was never written, bounds, alignment. 64 threads.
#include "defect.cuh"

CASE mirror(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[65];
  const int t = threadIdx.x;
  if (C != 7 || t != 5)
    tile[C == 8 ? t / 2 * 2 : t] = in[t];  // found: 8
  if (C == 3)
    __syncwarp();
  else if (C == 4)
    asm volatile("bar.sync %0, 32;" ::"r"(t / 32 + 1) : "memory");
  else if (C != 1)
    __syncthreads();
  const float x = tile[C == 5 ? 65 + t : C == 6 ? 64 - t : 63 - t];  // found: 1 3 4 5 6 7
  if (C != 2) __syncthreads();
  tile[t] = x + 1;  // found: 2
  __syncthreads();
  out[t] = tile[t ^ 32];
}
KERNEL(mirror, 0)
KERNEL(mirror, 1)
KERNEL(mirror, 2)
KERNEL(mirror, 3)
KERNEL(mirror, 4)
KERNEL(mirror, 5)
KERNEL(mirror, 6)
KERNEL(mirror, 7)
KERNEL(mirror, 8)

// Each warp by itself: lanes are ordered by __syncwarp() only.
CASE lanes(const float* in, float* out, unsigned*, int) {
  __shared__ float rows[2][32];
  float* row = rows[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    row[lane] = in[threadIdx.x] + i;  // found: 2
    if (C != 1) __syncwarp();
    sum += row[lane ^ 5];  // found: 1
    if (C != 2) __syncwarp();
  }
  out[threadIdx.x] = sum;
}
KERNEL(lanes, 0)
KERNEL(lanes, 1)
KERNEL(lanes, 2)

// A tile of 16-bit elements, read as vectors.
CASE vectors(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(16) unsigned short tile[64 * 4 + 8];
  const int t = threadIdx.x;
  for (int i = t; i < (C == 3 ? 255 : 256); i += 64) tile[i] = static_cast<unsigned short>(in[i % 64]);
  __syncthreads();
  const int shift = C == 1 ? 2 : 0;
  const uint2 pair = *reinterpret_cast<const uint2*>(&tile[4 * t + shift]);  // found: 1 3
  const int row = (t % 8) * 16;
  unsigned a;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile + row)) + (C == 2 ? 8 : 0);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));  // found: 2
  out[t] = static_cast<float>(pair.x + pair.y + a);
}
KERNEL(vectors, 0)
KERNEL(vectors, 1)
KERNEL(vectors, 2)
KERNEL(vectors, 3)

// A histogram, and a sum over warps.
CASE histogram(const float* in, float* out, unsigned*, int) {
  __shared__ unsigned bins[16];
  __shared__ float sums[2];
  const int t = threadIdx.x;
  if (t < (C == 1 ? 8 : 16)) bins[t] = 0;
  __syncthreads();
  const int bin = static_cast<int>(in[t]) % 16;
  if (C == 2)
    bins[bin] = bins[bin] + 1;  // found: 2
  else
    atomicAdd(&bins[bin], 1u);  // found: 1
  float sum = in[t];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(kAll, sum, d);
  if (C == 3 || t % 32 == 0) sums[C == 4 ? 0 : t / 32] = sum;  // found: 3 4
  if (C != 5) __syncthreads();
  if (t == 0) out[0] = sums[0] + (C == 4 ? 0 : sums[1]);  // found: 5
  if (t < 16) out[t + 1] = bins[t];
}
KERNEL(histogram, 0)
KERNEL(histogram, 1)
KERNEL(histogram, 2)
KERNEL(histogram, 3)
KERNEL(histogram, 4)
KERNEL(histogram, 5)
