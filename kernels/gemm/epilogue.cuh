#pragma once
// The last step of every rung: D = activation(alpha sum + bias) + beta C. BIAS and ACTIVATION are chosen at compile
// time: what is not asked for is not compiled. Where it is, it costs a few instructions on numbers that are in
// registers anyway, and a kernel of its own would read and write all of D once more.
#include "activation.cuh"
#include "numbers.cuh"

#ifndef FOURS_D  // rungs that write one by one
#define FOURS_D 0
#endif

/// D of this block's batch. FOURS_D, a derived value of the variant: N is a multiple of 4, so that 4 neighbours of D
/// are one aligned vector. C is not read when beta is 0: it may hold anything, NaN included; nor is bias without BIAS.
struct Epilogue {
  const Out* bias;  // one number per column, the same for all batches
  const Out* C;
  Out* D;
  int N;
  Sum alpha, beta;
  using Four = Vector<Out, 4>;

  __device__ __forceinline__ Epilogue(const Out* bias, const Out* C, Out* D, int M, int N, float alpha, float beta)
      : bias(bias),
        C(of_batch(C, static_cast<long long>(M) * N)),
        D(of_batch(D, static_cast<long long>(M) * N)),
        N(N),
        alpha(static_cast<Sum>(alpha)),
        beta(static_cast<Sum>(beta)) {}

  __device__ __forceinline__ Out finish(Sum sum, Out bias_of_column, Out c) const {
    const Sum y = activate(BIAS ? alpha * sum + to_sum(bias_of_column) : alpha * sum);
    return from_sum(beta == Sum(0) ? y : y + beta * to_sum(c));
  }

  __device__ __forceinline__ void operator()(int m, int n, Sum sum) const {
    const long long at = static_cast<long long>(m) * N + n;
    Out bias_of_column = {}, c = {};
    if (BIAS) bias_of_column = bias[n];
    if (beta != Sum(0)) c = C[at];
    D[at] = finish(sum, bias_of_column, c);
  }
  __device__ __forceinline__ void operator()(int m, int n, const Vector<Sum, 4>& sums) const {
    const long long at = static_cast<long long>(m) * N + n;
    Four bias_of_columns = {}, c = {}, d;
    if (BIAS) bias_of_columns = *reinterpret_cast<const Four*>(bias + n);
    if (beta != Sum(0)) c = *reinterpret_cast<const Four*>(C + at);
#pragma unroll
    for (int e = 0; e < 4; ++e) d.at[e] = finish(sums.at[e], bias_of_columns.at[e], c.at[e]);
    *reinterpret_cast<Four*>(D + at) = d;
  }

  /// The same for 4 neighbours that may hang over an edge, or whose rows are not made of whole fours.
  __device__ __forceinline__ void four_or_fewer(int m, int n, int M, const Sum* sums) const {
    if (m >= M) return;
    if (FOURS_D) {
      if (n < N) (*this)(m, n, Vector<Sum, 4>{sums[0], sums[1], sums[2], sums[3]});
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (n + e < N) (*this)(m, n + e, sums[e]);
    }
  }
};
