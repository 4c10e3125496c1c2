#pragma once
// Edges of the mesh, as a code has them that was given a mesh: a list of the numbers of their ends.
#include "common/types.cuh"

/// Three edges of the vertex in column c of row r: to the right, downwards, to both.
__device__ __forceinline__ int neighbour(int vertex, int direction, int W, int H) {
  const int c = vertex % W, r = vertex / W;
  const int right = direction != 1 ? (c + 1) % W : c, down = direction != 0 ? (r + 1) % H : r;
  return down * W + right;
}

/// Of a vertex; in the natural order its place.
__device__ __forceinline__ int number_of(int vertex, int permuted, const int* __restrict__ numbers) {
  return permuted != 0 ? numbers[vertex] : vertex;
}

/// Before each run, not timed: the ends of all edges.
extern "C" __global__ void list_edges(int permuted, const int* __restrict__ numbers, int2* __restrict__ ends,
                                      int W, int H) {
  const int edge = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (edge >= 3 * W * H) return;
  ends[edge] = make_int2(number_of(edge / 3, permuted, numbers),
                          number_of(neighbour(edge / 3, edge % 3, W, H), permuted, numbers));
}
