// Gather, rung 1, wide_edges: a thread VEC numbers of an edge.
//
// Idea       one load of up to 16 bytes brings VEC numbers of a vertex; the ends are asked for once for all of them.
// Parameters VEC numbers a thread; THREADS of a block.
// Expects    F a multiple of VEC.
// Lacks      vertices in shared memory, which edges of a block could share whatever L1 does.
#include "mesh.cuh"

struct alignas(VEC * sizeof(DTYPE)) Numbers {
  DTYPE n[VEC];
};

extern "C" __global__ void __launch_bounds__(THREADS)
wide_edges(const DTYPE* __restrict__ X, const int2* __restrict__ ends, DTYPE* __restrict__ Y, long long pieces, int F) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= pieces) return;
  const int each = F / VEC, piece = static_cast<int>(i % each);
  const int2 end = ends[i / each];
  const Numbers* x = reinterpret_cast<const Numbers*>(X);
  const Numbers first = x[static_cast<long long>(end.x) * each + piece], second = x[static_cast<long long>(end.y) * each + piece];
  Numbers difference;
#pragma unroll
  for (int v = 0; v < VEC; ++v) difference.n[v] = second.n[v] - first.n[v];
  reinterpret_cast<Numbers*>(Y)[i] = difference;
}
