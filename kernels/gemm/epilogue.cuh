#pragma once
// The last step of every rung: D = scale_d (activation(alpha sum + bias) + beta C). BIAS, ACTIVATION, SCALED and SCALES
// are chosen at compile time: what is not asked for is not compiled. Where it is, it costs a few instructions on
// numbers that are in registers anyway, and a kernel of its own would read and write all of D once more.
#include "element_types.cuh"
#include "scales.cuh"

/// What bends the product, chosen at compile time (ACTIVATION: 0 none, 1 relu, 2 gelu, 3 silu).
template <typename T>
__device__ __forceinline__ T activate(T x) {
  if constexpr (ACTIVATION == 1) return x < T(0) ? T(0) : x;  // NaN stays NaN
  if constexpr (ACTIVATION == 2) return T(0.5) * x * (T(1) + erf(x * T(0.70710678118654752)));
  if constexpr (ACTIVATION == 3) return x / (T(1) + exp(-x));
  return x;
}

#ifndef WITH_C  // families that do not say whether there is a C to add
#define WITH_C 1
#endif
#ifndef FOURS_D  // rungs that write one by one
#define FOURS_D 0
#endif

/// D of this block's batch. FOURS_D, a derived value of the variant: N is a multiple of 4, so that 4 neighbours of D
/// are one aligned vector. C is not read when beta is 0: it may hold anything, NaN included; nor is bias without BIAS.
struct Epilogue {
  const Added* bias;  // one number per column, the same for all batches
  const Added* C;
  Out* D;
  int M, N;
  Accumulator alpha, beta;
  Scales scales;
  using Four = Vector<Out, 4>;
  using FourAdded = Vector<Added, 4>;

  __device__ __forceinline__ Epilogue(const Added* bias, const Added* C, Out* D, int M, int N, float alpha, float beta,
                                      const Scales& scales UNLESS_SCALED)
      : bias(bias),
        C(of_batch(C, static_cast<long long>(M) * N)),
        D(of_batch(D, static_cast<long long>(M) * N)),
        M(M),
        N(N),
        alpha(static_cast<Accumulator>(alpha)),
        beta(WITH_C ? static_cast<Accumulator>(beta) : Accumulator(0)),
        scales(scales.of(SCALES == 1 ? blockIdx.z : 0, M, N, 1)) {}

  /// Of the sum that belongs at (m, n), not yet rounded to D's type.
  __device__ __forceinline__ Accumulator unrounded(int m, int n, Accumulator sum, Added bias_of_column, Added c) const {
    if constexpr (SCALES == 1) sum *= scales.of_accumulator(m, n, M, N);
    const Accumulator y = activate(BIAS ? alpha * sum + to_accumulator(bias_of_column) : alpha * sum);
    Accumulator d = beta == Accumulator(0) ? y : y + beta * to_accumulator(c);
    if constexpr (SCALED) d *= scales.d;
    return d;
  }
  __device__ __forceinline__ Out finish(int m, int n, Accumulator sum, Added bias_of_column, Added c) const {
    return from_accumulator(unrounded(m, n, sum, bias_of_column, c));
  }

  __device__ __forceinline__ void operator()(int m, int n, Accumulator sum) const {
    const long long at = static_cast<long long>(m) * N + n;
    Added bias_of_column = {}, c = {};
    if (BIAS) bias_of_column = bias[n];
    if (beta != Accumulator(0)) c = C[at];
    D[at] = finish(m, n, sum, bias_of_column, c);
  }
  __device__ __forceinline__ void operator()(int m, int n, const Vector<Accumulator, 4>& accumulators) const {
    const long long at = static_cast<long long>(m) * N + n;
    FourAdded bias_of_columns = {}, c = {};
    Four d;
    if (BIAS) bias_of_columns = *reinterpret_cast<const FourAdded*>(bias + n);
    if (beta != Accumulator(0)) c = *reinterpret_cast<const FourAdded*>(C + at);
#pragma unroll
    for (int e = 0; e < 4; ++e) d.at[e] = finish(m, n + e, accumulators.at[e], bias_of_columns.at[e], c.at[e]);
    *reinterpret_cast<Four*>(D + at) = d;
  }

  /// The same for 4 neighbours that may hang over an edge, or whose rows are not made of whole fours.
  __device__ __forceinline__ void four_or_fewer(int m, int n, int M, const Accumulator* accumulators) const {
    if (m >= M) return;
    if (FOURS_D) {
      if (n < N)
        (*this)(m, n, Vector<Accumulator, 4>{accumulators[0], accumulators[1], accumulators[2], accumulators[3]});
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (n + e < N) (*this)(m, n + e, accumulators[e]);
    }
  }
};
