// What Y should be: before the reference a block sorts each segment, by merging runs of 1, 2, 4 ... keys. A key's place in two runs
// that become one is its place in its own, and so many keys of the other as come before it.
#include "common/types.cuh"

/// How many keys of a rising run are below x; `or_equal`: or equal to it.
__device__ int count_below(const unsigned* run, int length, unsigned x, bool or_equal) {
  int begin = 0, end = length;
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (run[middle] < x || (or_equal && run[middle] == x)) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/// Key i of a segment, which goes from runs of `width` to runs of twice that.
__device__ void move_key(const unsigned* from, unsigned* to, int length, int width, int i) {
  const int first = i / (2 * width) * (2 * width), second = min(first + width, length), last = min(first + 2 * width, length);
  const bool in_first = i < second;
  const unsigned x = from[i];
  const int others = in_first ? count_below(from + second, last - second, x, false)
                              : count_below(from + first, second - first, x, true);
  to[(in_first ? i : i - second + first) + others] = x;
}

extern "C" __global__ void __launch_bounds__(512)
sort_segments(const unsigned* X, const int* starts, unsigned* sorted, unsigned* other) {
  const int begin = starts[blockIdx.x], length = starts[blockIdx.x + 1] - begin;
  unsigned *from = sorted + begin, *to = other + begin;
  const auto each = [&](const auto& work) {
    for (int i = static_cast<int>(threadIdx.x); i < length; i += 512) work(i);
    __syncthreads();
  };
  each([&](int i) { from[i] = X[begin + i]; });
  for (int width = 1; width < length; width *= 2) {
    each([&](int i) { move_key(from, to, length, width, i); });
    unsigned* next = from;
    from = to;
    to = next;
  }
  if (from != sorted + begin) each([&](int i) { to[i] = from[i]; });
}

// One key for each index. Number j is index[j], or j when index is null.
extern "C" __global__ void reference(const unsigned* sorted, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  value[j] = sorted[index == nullptr ? j : index[j]];
  scale[j] = 0;
}
