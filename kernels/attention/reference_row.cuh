#pragma once
// What the references of attention and attention_decode share: a row of weights, its sum, what they make of V, and the
// logarithm of the sum, by the definition. No kernel includes it, so that no mistake is shared.
//
// Called by a block of kThreads. A Row says which keys its query sees:
//   keys, visible                 how many there are, how many of them (the first) it sees
//   of_value(V, key)              row of V
//   score(K, key, size)           the score of a key, and the size of its rounding error
#include "common/types.cuh"

constexpr int kThreads = 256;

// W of docs/tolerance.md: what rounding weights to 16 bits (or to e4m3, times 256) does, in units of 4 u; below kSmallest their error is absolute.
#if DTYPE_BF16
constexpr ACC kRounded = 6 * 8192, kSmallest = 0;
#elif DTYPE_FP16
constexpr ACC kRounded = 6 * 1024, kSmallest = 1.0 / 16384;
#elif DTYPE_E4M3
constexpr ACC kRounded = 6 * 262144, kSmallest = 1.0 / 16384;
#else
constexpr ACC kRounded = 0, kSmallest = 0;
#endif

struct Sum {
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a + b; }
};
struct Largest {  // passes over NaN, which poisons the sum
  static __device__ __forceinline__ ACC join(ACC a, ACC b) { return a < b || a != a ? b : a; }
};

/// Combined over the block's threads; every thread gets the result.
template <typename How>
__device__ __forceinline__ ACC over_block(ACC own) {
  __shared__ ACC partial[kThreads];
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = How::join(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  return partial[0];
}

/// The largest score; 0 where there is none above -inf.
template <typename Row>
__device__ __forceinline__ ACC largest_score(const Row& row, const DTYPE* K) {
  ACC most = -ACC(__int_as_float(0x7f800000)), size;
  for (int key = threadIdx.x; key < row.visible; key += kThreads) most = Largest::join(most, row.score(K, key, size));
  most = over_block<Largest>(most);
  return most == -ACC(__int_as_float(0x7f800000)) ? ACC(0) : most;
}

/// A row of O, of `depth` numbers as those of V, and the size of the error of each of them.
template <typename Row>
__device__ __forceinline__ void row_of_output(const Row& row, const DTYPE* K, const DTYPE* V, int depth, ACC* value,
                                              ACC* scale) {
  __shared__ ACC weights[kThreads], sizes[kThreads];
  const ACC largest = largest_score(row, K);
  const int d = static_cast<int>(threadIdx.x);
  ACC sum = 0, reach = 0;                       // of p, of p w: each thread's own keys
  ACC output = 0, magnitudes = 0, squares = 0;  // of p v, of p |v| w, of squared roundings: column d
  for (int first = 0; first < row.visible; first += kThreads) {
    const int key = first + d;
    ACC p = 0, w = 0;
    if (key < row.visible) {
      ACC size;
      const ACC s = row.score(K, key, size);
      p = exp(s - largest);
      if (p != 0) w = 1 + (largest - s) + sqrt(ACC(row.keys)) + size;
    }
    __syncthreads();
    weights[d] = p, sizes[d] = w;
    sum += p, reach += p * w;
    __syncthreads();
    const int here = row.visible - first < kThreads ? row.visible - first : kThreads;
    if (d >= depth) continue;
    for (int j = 0; j < here; ++j) {
      const ACC v = to_float(row.of_value(V, first + j)[d]), term = weights[j] * v;
      output += term;
      magnitudes += fabs(term) * sizes[j];
      const ACC rounded = weights[j] == 0 ? ACC(0) : (weights[j] + kSmallest) * v;
      squares += rounded * rounded;
    }
  }
  sum = over_block<Sum>(sum);
  reach = over_block<Sum>(reach);
  if (d >= depth) return;
  value[d] = sum == 0 ? ACC(0) : output / sum;
  scale[d] = sum == 0 ? ACC(0) : (magnitudes + fabs(value[d]) * reach + kRounded * sqrt(squares)) / sum;
}

/// The logarithm of the sum of exponentials, and the size of its error; -inf and 0 where no key is seen.
template <typename Row>
__device__ __forceinline__ void row_of_lse(const Row& row, const DTYPE* K, ACC* value, ACC* scale) {
  const ACC largest = largest_score(row, K);
  ACC sum = 0, reach = 0;
  for (int key = threadIdx.x; key < row.visible; key += kThreads) {
    ACC size;
    const ACC s = row.score(K, key, size), p = exp(s - largest);
    sum += p;
    if (p != 0) reach += p * (largest - s + size);
  }
  sum = over_block<Sum>(sum);
  reach = over_block<Sum>(reach);
  if (threadIdx.x != 0) return;
  *value = sum == 0 ? -ACC(__int_as_float(0x7f800000)) : largest + log(sum);
  *scale = sum == 0 ? ACC(0) : 1 + log(sum) + fabs(largest) + sqrt(ACC(row.keys)) / 2 + reach / sum;
}
