#pragma once
// The last step of every rung that passes its sums through shared memory.
#include "common/types.cuh"

/// FOURS_D, a derived value of the variant: N is a multiple of 4, so that 4 neighbours of D are one aligned vector.
/// D = alpha sum + beta C; C is not read when beta is 0.
struct WriteD {
  const DTYPE* C;
  DTYPE* D;
  int N;
  float alpha, beta;

  __device__ __forceinline__ void operator()(int m, int n, float sum) const {
    const long long at = static_cast<long long>(m) * N + n;
    D[at] = from_float<DTYPE>(beta == 0.0f ? alpha * sum : alpha * sum + beta * to_float(C[at]));
  }
  __device__ __forceinline__ void operator()(int m, int n, const float4& four) const {
    using Four = Vector<DTYPE, 4>;
    const long long at = static_cast<long long>(m) * N + n;
    const float sums[4] = {four.x, four.y, four.z, four.w};
    Four c = {}, d;
    if (beta != 0.0f) c = *reinterpret_cast<const Four*>(C + at);
#pragma unroll
    for (int e = 0; e < 4; ++e)
      d.at[e] = from_float<DTYPE>(beta == 0.0f ? alpha * sums[e] : alpha * sums[e] + beta * to_float(c.at[e]));
    *reinterpret_cast<Four*>(D + at) = d;
  }

  /// The same for 4 neighbours that may hang over an edge, or whose rows are not made of whole fours.
  __device__ __forceinline__ void four_or_fewer(int m, int n, int M, const float* sums) const {
    if (m >= M) return;
    if (FOURS_D) {
      if (n < N) (*this)(m, n, float4{sums[0], sums[1], sums[2], sums[3]});
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (n + e < N) (*this)(m, n + e, sums[e]);
    }
  }
};
