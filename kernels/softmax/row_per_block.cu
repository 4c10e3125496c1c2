// Rung 1, row_per_block: the threads of a block share one row.
//
// Idea      neighbouring threads read neighbouring vectors; the largest element and the sum are combined by shuffles.
//           The row is read three times, but only the first time from memory: 32 KiB of it stay in L1 or L2.
// Parameters THREADS per block; VEC elements per load; UNROLL loads in flight per thread.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any).
// Lacks     nothing for rows beyond the register file; shorter ones need not be read again (next rung).
// Measured on H200: 138.2 us, 3.88 TB/s (fp32, 8192 x 8192, one read and one write counted).
#include "block_reduce.cuh"
#include "common/types.cuh"

using Several = Vector<DTYPE, VEC>;

/// Calls visit(i, vector) for every vector i of a row that is this thread's.
template <typename Visit>
__device__ __forceinline__ void for_vectors(const Several* x, int vectors, Visit visit) {
#pragma unroll UNROLL
  for (int i = threadIdx.x; i < vectors; i += THREADS) visit(i, x[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax(const DTYPE* __restrict__ X, DTYPE* __restrict__ Y, int N) {
  __shared__ float words[THREADS / 32];
  const long long row = static_cast<long long>(blockIdx.x) * N;
  const auto* x = reinterpret_cast<const Several*>(X + row);
  auto* y = reinterpret_cast<Several*>(Y + row);

  // fmaxf passes over NaN; x - largest does not, and poisons the sum.
  float largest = to_float(X[row]);
  for_vectors(x, N / VEC, [&](int, const Several& v) {
#pragma unroll
    for (int e = 0; e < VEC; ++e) largest = fmaxf(largest, to_float(v.at[e]));
  });
  largest = over_block(largest, words, Larger());

  float sum = 0.0f;
  for_vectors(x, N / VEC, [&](int, const Several& v) {
#pragma unroll
    for (int e = 0; e < VEC; ++e) sum += expf(to_float(v.at[e]) - largest);
  });
  const float factor = 1.0f / over_block(sum, words, Sum());

  for_vectors(x, N / VEC, [&](int i, const Several& v) {
    Several result;
#pragma unroll
    for (int e = 0; e < VEC; ++e) result.at[e] = from_float<DTYPE>(expf(to_float(v.at[e]) - largest) * factor);
    y[i] = result;
  });
}
