// What dX, dG and dB should be; z = (x - mean) rstd and a = g dy. rows, one block of 256 threads per row: value = rstd
// (a - b - z c), b the mean of a and c that of a z; scale = |rstd| (3 |a| + |b| + L (mean|a| + 2^-124) + |z| (3 |c| + L
// (mean|a z| + 2^-124))), L = 1 + sqrt(N) / 4. columns_of_gamma and columns_of_beta: value is the sum of dy z or dy, scale the root of the
// sum of the squares. Place j < count is index[j], or j when index is null. rows has any grid.
#include "common/reference_columns.cuh"
#include "common/types.cuh"

/// Added up over the block's threads; `partial` holds 256 values. Every thread gets the result.
__device__ __forceinline__ ACC over_block(ACC own, ACC* partial) {
  __syncthreads();  // an earlier result may still be read
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  return partial[0];
}

/// Products below fp32's normal numbers are multiples of 2^-149, each off by u 2^-126; with room for several of them.
constexpr double kLeast = 4.70197740328915e-38;  // 2^-124

__device__ __forceinline__ ACC size_of(ACC a) { return a < 0 ? -a : a; }

__device__ __forceinline__ void row_of_gradient(const DTYPE* x, const DTYPE* dy, const DTYPE* g, ACC mean, ACC rstd,
                                                int N, ACC* partial, ACC* value, ACC* scale) {
  ACC a_sum = 0, a_size = 0, az_sum = 0, az_size = 0;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC a = ACC(to_float(g[i])) * to_float(dy[i]), z = (to_float(x[i]) - mean) * rstd;
    a_sum += a;
    a_size += size_of(a);
    az_sum += a * z;
    az_size += size_of(a * z);
  }
  const ACC length = 1 + sqrt(ACC(N)) / 4;
  const ACC b = over_block(a_sum, partial) / N, c = over_block(az_sum, partial) / N;
  const ACC of_b = length * (over_block(a_size, partial) / N + ACC(kLeast)),
            of_c = length * (over_block(az_size, partial) / N + ACC(kLeast));
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC a = ACC(to_float(g[i])) * to_float(dy[i]), z = (to_float(x[i]) - mean) * rstd;
    value[i] = rstd * (a - b - z * c);
    scale[i] = size_of(rstd) * (3 * size_of(a) + size_of(b) + of_b + size_of(z) * (3 * size_of(c) + of_c));
  }
}

extern "C" __global__ void __launch_bounds__(256)
rows(const DTYPE* X, const DTYPE* dY, const DTYPE* G, const float* mean, const float* rstd, int N,
     const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_gradient(X + row * N, dY + row * N, G, mean[row], rstd[row], N, partial, value + place * N,
                    scale + place * N);
  }
}

extern "C" __global__ void __launch_bounds__(kSlices * kColumns)
columns_of_gamma(const DTYPE* X, const DTYPE* dY, const float* mean, const float* rstd, int M, int N,
                 const long long* index, long long count, ACC* value, ACC* scale) {
  column_of(M, N, index, count, value, scale, [&](long long row, long long i) {
    return to_float(dY[i]) * ((to_float(X[i]) - ACC(mean[row])) * rstd[row]);
  });
}

extern "C" __global__ void __launch_bounds__(kSlices * kColumns)
columns_of_beta(const DTYPE* dY, int M, int N, const long long* index, long long count, ACC* value, ACC* scale) {
  column_of(M, N, index, count, value, scale, [&](long long, long long i) { return ACC(to_float(dY[i])); });
}
