#pragma once
// One value of each thread to one value of the block: shuffles within a warp, one shared word per warp between them.

/// All threads call it and all get the result. `words` holds THREADS / 32 floats.
template <typename Combine>
__device__ __forceinline__ float over_block(float own, float* words, Combine combine) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) own = combine(own, __shfl_xor_sync(0xffffffffU, own, lanes));
  if (THREADS == 32) return own;
  __syncthreads();  // an earlier result may still be read
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = own;
  __syncthreads();
  float result = words[0];
#pragma unroll
  for (int warp = 1; warp < THREADS / 32; ++warp) result = combine(result, words[warp]);  // every thread: one order
  return result;
}

struct Larger {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
