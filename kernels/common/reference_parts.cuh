#pragma once
// For references and checkers that run through a long row with a grid: each block has a part of it, and adds up by itself what
// lies before. Together 128 blocks read the row 65 times: some 20 ms of 2^27 elements on an H200, where one block alone, its
// threads far apart, took seconds.
//   grid = ["max(1, min(128, ceil_div(N, 1048576)))"]
//   block = [1024]

namespace parts {

constexpr int kThreads = 1024;
constexpr int kOwn = 16;  // elements that a thread has side by side
constexpr int kTile = kThreads * kOwn;

struct Part {
  long long begin, end;
};

__device__ __forceinline__ Part part_of(long long begin, long long size, long long N) {
  return {begin < N ? begin : N, begin + size < N ? begin + size : N};
}
/// Of the block; its tiles; a thread's own elements of a tile.
__device__ __forceinline__ Part of_block(long long N) {
  const long long size = (N + gridDim.x - 1) / gridDim.x;
  return part_of(size * blockIdx.x, size, N);
}
__device__ __forceinline__ Part of_thread(long long tile, const Part& block) {
  return part_of(tile + static_cast<long long>(threadIdx.x) * kOwn, kOwn, block.end);
}

/// The threads' values before this one's, joined in order, and those of all; `zero` joined with x is x.
template <typename T>
struct Joined {
  T before, all;
};
template <typename T, typename Join>
__device__ Joined<T> join_block(T own, T zero, const Join& join) {
  __shared__ T kept[kThreads], groups[kThreads / 32], sum_of_all;
  const int t = static_cast<int>(threadIdx.x);
  const auto run_through = [&](T* values) {
    T sum = zero;
    for (int i = 0; i < 32; ++i) {
      const T next = values[i];
      values[i] = sum;
      sum = join(sum, next);
    }
    return sum;
  };
  kept[t] = own;
  __syncthreads();
  if (t < kThreads / 32) groups[t] = run_through(kept + 32 * t);
  __syncthreads();
  if (t == 0) sum_of_all = run_through(groups);
  __syncthreads();
  const Joined<T> joined = {join(groups[t / 32], kept[t]), sum_of_all};
  __syncthreads();
  return joined;
}

/// What a checker's blocks say of a place that several of them judge: right unless one says that it is wrong. Before, error
/// holds NaN and code -1.
__device__ __forceinline__ void tell_right(float* error, int* code) {
  atomicMax(code, 0);
  atomicCAS(reinterpret_cast<int*>(error), 0x7fc00000, 0);
}
__device__ __forceinline__ void tell_wrong(float* error, int* code, int found) {
  atomicMax(code, found);
  atomicExch(error, 2.0f);
}

}  // namespace parts
