// One number of an edge or of a vertex for each index. Number j is index[j], or j when index is null.
#include "common/types.cuh"

extern "C" __global__ void find_places(int permuted, const int* numbers, int* places, int W, int H) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < W * H) places[permuted != 0 ? numbers[at] : at] = at;
}

struct Sums {
  ACC value, sizes;  // sizes: the sum of the terms' magnitudes
};
__device__ void add(Sums& sums, ACC x) {
  sums.value += x;
  sums.sizes += fabs(x);
}

__device__ int vertex_at(int column, int row, int W, int H) { return (row + H) % H * W + (column + W) % W; }

__device__ Sums of_edge(const DTYPE* X, int permuted, const int* numbers, int W, int H, int F, long long edge, int f) {
  const int v = static_cast<int>(edge / 3), way = static_cast<int>(edge % 3);
  const int w = vertex_at(v % W + (way != 1 ? 1 : 0), v / W + (way != 0 ? 1 : 0), W, H);
  const long long from = permuted != 0 ? numbers[v] : v, to = permuted != 0 ? numbers[w] : w;
  const ACC first = X[from * F + f], second = X[to * F + f];
  return {second - first, fabs(second - first) / 64};  // one rounding is granted, but the reference rounds as well
}

__device__ Sums of_vertex(const DTYPE* X, const int* places, int W, int H, int F, long long number, int f) {
  const int v = places[number], c = v % W, r = v / W;
  Sums sums = {0, 0};
  for (int way = 0; way < 3; ++way) {
    const int before = vertex_at(c - (way != 1 ? 1 : 0), r - (way != 0 ? 1 : 0), W, H);
    add(sums, static_cast<ACC>(X[(3LL * before + way) * F + f]));
    add(sums, -static_cast<ACC>(X[(3LL * v + way) * F + f]));
  }
  return sums;
}

extern "C" __global__ void reference(const DTYPE* X, int permuted, const int* numbers, const int* places, int W,
                                     int H, int F, int scatter, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j];
  const int f = static_cast<int>(at % F);
  const Sums sums = scatter != 0 ? of_vertex(X, places, W, H, F, at / F, f)
                                 : of_edge(X, permuted, numbers, W, H, F, at / F, f);
  value[j] = sums.value;
  scale[j] = 1.5f * sums.sizes;  // six terms, at most 5 roundings, each of no more than the sum of the magnitudes: 6 u s
}
