// What D should be, in ACC (double where the device is good at it), and how large rounding errors may be; family.toml
// says what `scale` means. Output j is the element index[j] of D, or element j when index is null. beta = 0: C is not
// read; without bias, neither is bias_row.
//
// It includes nothing that kernels are made of, save the number types: a mistake there must not be in both.
#include "common/types.cuh"

constexpr int kTile = 16;
constexpr double kSmallestNormal = 1.1754943508222875e-38;  // 2^-126, of fp32, in which kernels add up

#if DTYPE_INT8
using Term = int;   // what products are added up in
using Added = int;  // of C and bias
#else
using Term = ACC;
template <int>
struct AddedOf {
  using Type = DTYPE;
};
template <>
struct AddedOf<1> {
  using Type = bf16_t;
};
template <>
struct AddedOf<2> {
  using Type = fp16_t;
};
template <>
struct AddedOf<3> {
  using Type = float;
};
template <>
struct AddedOf<4> : AddedOf<1> {};
using Added = AddedOf<OUT>::Type;
#endif

template <typename T>
__device__ __forceinline__ Term number(T x) {
#if DTYPE_INT8
  return x;
#else
  return to_float(x);
#endif
}

__device__ __forceinline__ ACC activated(ACC x) {
  if (ACTIVATION == 1) return x < 0 ? ACC(0) : x;  // NaN stays NaN
  if (ACTIVATION == 2) return x / 2 * (1 + erf(x / sqrt(ACC(2))));
  if (ACTIVATION == 3) return x / (1 + exp(-x));
  return x;
}

/// How much an error of its argument changes `activated`.
__device__ __forceinline__ ACC slope_of_activation(ACC x) {
  if (ACTIVATION < 2 || fabs(x) > 1000) return ACTIVATION == 0 || x > 0;
  const ACC below = ACTIVATION == 2 ? (1 + erf(x / sqrt(ACC(2)))) / 2 : 1 / (1 + exp(-x));
  const ACC density = ACTIVATION == 2 ? ACC(0.3989422804014327) * exp(-x * x / 2) : below * (1 - below);
  return fabs(below + x * density);
}

/// What is granted beside |value|, in what is granted beside `scale`, of a sum of K terms (src/spec/tolerance.cpp).
__device__ __forceinline__ ACC value_in_scales(long long K) {
#if DTYPE_E4M3 || DTYPE_E5M2
  const ACC n = !FAST && K > 128 ? 128 : K;  // promoted
  return (ACC(1.5) * sqrt(n) + n / 2) / (3 * sqrt(n) + n / 16);
#elif DTYPE_BF16 || DTYPE_FP16 || DTYPE_TF32
  return (3 * sqrt(ACC(K)) + ACC(0.75) * K) / (6 * sqrt(ACC(K)) + ACC(K) / 4);
#else
  return ACC(0.5);
#endif
}

#if SCALED
#define SCALE_PARAMETERS , const float *scale_a, const float *scale_b, float scale_d
#define GIVEN_SCALES \
  { scale_a, scale_b, scale_d }
#else
#define SCALE_PARAMETERS
#define GIVEN_SCALES \
  { nullptr, nullptr, 1.0f }
#endif
struct Scales {
  const float* a;
  const float* b;
  float d;
};

struct Sums {
  Term terms;
  ACC squares;
};

__device__ __forceinline__ void add(Sums& sums, Term a, Term b) {
  const Term term = a * b;
  sums.terms += term;
  sums.squares += static_cast<ACC>(term) * term;
}

/// One of `batch` products, and its scales: SCALES = 1 a number for each row of A and column of B; 2 one for each 128 k
/// of a row of A, and for each 128 k of 128 columns of B.
struct Product {
  const DTYPE* A;
  const DTYPE* B;
  const float* scale_a;
  const float* scale_b;
  long long M, N, K;
  __device__ Product(const DTYPE* all_a, const DTYPE* all_b, int M, int N, int K, const Scales& scales,
                     long long batch)
      : A(all_a + batch * M * K), B(all_b + batch * K * N), scale_a(nullptr), scale_b(nullptr), M(M), N(N), K(K) {
    const long long parts = SCALES == 2 ? (this->K + 127) / 128 : 1;
    const long long columns = SCALES == 2 ? (this->N + 127) / 128 : N;
    if (SCALES != 0) scale_a = scales.a + batch * M * parts;
    if (SCALES != 0) scale_b = scales.b + batch * columns * parts;
  }
  __device__ __forceinline__ Term a(int m, int k) const {
    const Term x = number(A[TRANS_A ? k * M + m : m * K + k]);
    return SCALES == 2 ? Term(x * Term(scale_a[m * ((K + 127) / 128) + k / 128])) : x;
  }
  __device__ __forceinline__ Term b(int k, int n) const {
    const Term x = number(B[TRANS_B ? n * K + k : k * N + n]);
    return SCALES == 2 ? Term(x * Term(scale_b[n / 128 * ((K + 127) / 128) + k / 128])) : x;
  }
  __device__ __forceinline__ ACC of_sum(int m, int n) const { return SCALES == 1 ? ACC(scale_a[m]) * scale_b[n] : ACC(1); }
};

struct Result {
  const Added* bias_row;
  const Added* C;
  float alpha, beta;
  Scales scales;
  ACC* value;
  ACC* scale;

  /// Of element (m, n) of the product.
  __device__ __forceinline__ void write(const Sums& sums, const Product& product, int m, int n, long long element,
                                        long long place) const {
    const ACC factor = alpha * product.of_sum(m, n);
    const ACC bias = BIAS ? ACC(number(bias_row[n])) : ACC(0);
    const ACC c = beta == 0.0f ? ACC(0) : ACC(beta) * number(C[element]);
    const ACC x = factor * sums.terms + bias;
    // A subnormal sum is rounded to multiples of 2^-149, and only then multiplied by the factor.
    const ACC size = sqrt(factor * factor * sums.squares + bias * bias + c * c) + fabs(factor) * ACC(kSmallestNormal);
    const ACC d = scales.d;
    // Of -infinity relu leaves 0, in which nothing was rounded; a bound of infinity would accept no number.
    const bool cut_off = ACTIVATION == 1 && x < 0 && x == 2 * x;
    const ACC result = activated(x) + c, slope = slope_of_activation(x);
    // The sum may be far larger than the result: bias, C or the activation took it away, and its errors stay.
    const ACC hidden = slope == 0 ? ACC(0) : fmax(ACC(0), slope * fabs(factor * sums.terms) - fabs(result));
    value[place] = d * result;
    scale[place] = fabs(d) * (cut_off ? fabs(c)
                                      : (ACTIVATION < 2 ? size : ACC(1.2) * size + fabs(x) / 2) +
                                            (hidden == 0 ? ACC(0) : hidden * value_in_scales(product.K)));
  }
};

/// Chosen elements: each thread its own dot products.
__device__ void chosen(const DTYPE* A, const DTYPE* B, int M, int N, int K, const Result& result,
                       const long long* index, long long count) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long elements = static_cast<long long>(M) * N;
  for (long long place = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < count;
       place += threads) {
    const Product product(A, B, M, N, K, result.scales, index[place] / elements);
    const int m = static_cast<int>(index[place] % elements / N);
    const int n = static_cast<int>(index[place] % N);
    Sums sums = {};
    for (int k = 0; k < K; ++k) add(sums, product.a(m, k), product.b(k, n));
    result.write(sums, product, m, n, index[place], place);
  }
}

/// The first `count` elements: tiles of 16 x 16 through shared memory, fast enough to check every element.
__device__ void all(const DTYPE* A, const DTYPE* B, int M, int N, int K, const Result& result, long long count) {
  __shared__ Term a_tile[kTile][kTile + 1];
  __shared__ Term b_tile[kTile][kTile + 1];
  const int x = static_cast<int>(threadIdx.x) % kTile;
  const int y = static_cast<int>(threadIdx.x) / kTile;
  const long long elements = static_cast<long long>(M) * N;
  const long long batches = (count - 1) / elements + 1;
  const long long tiles_n = (N - 1) / kTile + 1;
  const long long tiles = tiles_n * ((M - 1) / kTile + 1);
  const int steps = K / kTile + (K % kTile != 0);
  for (long long tile = blockIdx.x; tile < batches * tiles; tile += gridDim.x) {
    const long long batch = tile / tiles;
    const Product product(A, B, M, N, K, result.scales, batch);
    const int m0 = static_cast<int>(tile % tiles / tiles_n) * kTile;
    const int n0 = static_cast<int>(tile % tiles % tiles_n) * kTile;
    if (batch * elements + static_cast<long long>(m0) * N + n0 >= count) continue;
    Sums sums = {};
    for (int step = 0; step < steps; ++step) {
      const int k0 = step * kTile;
      // x runs along whatever is contiguous in memory
      const int a_row = TRANS_A ? x : y, a_k = TRANS_A ? y : x;
      const int b_column = TRANS_B ? y : x, b_k = TRANS_B ? x : y;
      a_tile[a_row][a_k] = a_row < M - m0 && a_k < K - k0 ? product.a(m0 + a_row, k0 + a_k) : Term(0);
      b_tile[b_k][b_column] = b_column < N - n0 && b_k < K - k0 ? product.b(k0 + b_k, n0 + b_column) : Term(0);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kTile; ++k) add(sums, a_tile[y][k], b_tile[k][x]);
      __syncthreads();
    }
    if (y >= M - m0 || x >= N - n0) continue;
    const long long element = batch * elements + static_cast<long long>(m0 + y) * N + (n0 + x);
    if (element < count) result.write(sums, product, m0 + y, n0 + x, element, element);
  }
}

/// Any grid of blocks of 256 threads.
extern "C" __global__ void __launch_bounds__(256)
    reference(const DTYPE* A, const DTYPE* B, const Added* bias_row, const Added* C, int M, int N, int K, float alpha,
              float beta SCALE_PARAMETERS, const long long* index, long long count, ACC* value, ACC* scale) {
  const Result result = {bias_row, C, alpha, beta, Scales GIVEN_SCALES, value, scale};
  if (index != nullptr)
    chosen(A, B, M, N, K, result, index, count);
  else
    all(A, B, M, N, K, result, count);
}
