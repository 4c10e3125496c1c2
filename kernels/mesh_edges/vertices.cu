// Scatter, rung 1, vertices: a thread a number of a vertex, which gathers from its edges.
//
// Idea       a list says which edges end in a vertex and which begin there: sums are made in registers, in a fixed order, and
//            written once. The list is made once a mesh, as the edges are; neighbours read neighbours of it.
// Parameters THREADS of a block.
// Expects    anything.
// Lacks      whole lines: the edges of a vertex are not neighbours, nor are those of two, unless the order is natural.
#include "mesh.cuh"

/// Before each run, not timed: of the vertex with each number its six edges, twice their place, and 1 where they end there.
extern "C" __global__ void list_around(int permuted, const int* __restrict__ numbers, int* __restrict__ around,
                                       int W, int H) {
  const int edge = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (edge >= 3 * W * H) return;
  const int from = edge / 3, to = neighbour(from, edge % 3, W, H);
  around[edge % 3 * W * H + number_of(from, permuted, numbers)] = 2 * edge;
  around[(3 + edge % 3) * W * H + number_of(to, permuted, numbers)] = 2 * edge + 1;
}

extern "C" __global__ void __launch_bounds__(THREADS)
vertices(const DTYPE* __restrict__ X, const int* __restrict__ around, DTYPE* __restrict__ Y, long long count, int F) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= count * F) return;
  const long long vertex = i / F;
  const int f = static_cast<int>(i % F);
  DTYPE sum = 0;
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    const int code = around[k * count + vertex];
    const DTYPE x = X[static_cast<long long>(code / 2) * F + f];
    sum += code % 2 != 0 ? x : -x;
  }
  Y[i] = sum;
}
