// z = a x + y with VEC elements per load and UNROLL loads of each vector in flight per thread.
#include "common/types.cuh"

using Several = Vector<DTYPE, VEC>;

extern "C" __global__ void __launch_bounds__(THREADS)
saxpy(const DTYPE* __restrict__ x, const DTYPE* __restrict__ y, DTYPE* __restrict__ z, int N, float a) {
  const auto* xs = reinterpret_cast<const Several*>(x);
  const auto* ys = reinterpret_cast<const Several*>(y);
  auto* zs = reinterpret_cast<Several*>(z);
  const long long vectors = N / VEC;
  const long long first = static_cast<long long>(blockIdx.x) * (THREADS * UNROLL) + threadIdx.x;

#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const long long i = first + u * THREADS;
    if (i >= vectors) continue;
    const Several p = xs[i];
    const Several q = ys[i];
    Several r;
#pragma unroll
    for (int e = 0; e < VEC; ++e) r.at[e] = a * p.at[e] + q.at[e];
    zs[i] = r;
  }

  // the elements after the last whole vector
  const long long rest = vectors * VEC + threadIdx.x;
  if (blockIdx.x == 0 && rest < N) z[rest] = a * x[rest] + y[rest];
}
