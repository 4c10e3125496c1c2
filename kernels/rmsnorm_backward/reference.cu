// What dX and dG should be; z = x rstd and a = g dy. rows, one block of 256 threads per row: value = rstd (a - z m), m
// the mean of a z; scale = |rstd| (2 |a| + |z| (2 |m| + (1 + sqrt(N) / 4) (mean|a z| + 2^-124))). columns: value =
// sum(dy z), scale = sqrt(sum((dy z)^2)). Place j < count is index[j], or j when index is null. rows has any grid.
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

__device__ __forceinline__ void row_of_gradient(const DTYPE* x, const DTYPE* dy, const DTYPE* g, ACC rstd, int N,
                                                ACC* partial, ACC* value, ACC* scale) {
  ACC own = 0, own_size = 0;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC product = ACC(to_float(g[i])) * to_float(dy[i]) * (ACC(to_float(x[i])) * rstd);
    own += product;
    own_size += size_of(product);
  }
  const ACC mean = over_block(own, partial) / N, size = over_block(own_size, partial) / N;
  for (int i = threadIdx.x; i < N; i += 256) {
    const ACC a = ACC(to_float(g[i])) * to_float(dy[i]), z = ACC(to_float(x[i])) * rstd;
    value[i] = rstd * (a - z * mean);
    scale[i] = size_of(rstd) * (2 * size_of(a) + size_of(z) * (2 * size_of(mean) + (1 + sqrt(ACC(N)) / 4) * (size + ACC(kLeast))));
  }
}

extern "C" __global__ void __launch_bounds__(256)
rows(const DTYPE* X, const DTYPE* dY, const DTYPE* G, const float* rstd, int N, const long long* index, long long count,
     ACC* value, ACC* scale) {
  __shared__ ACC partial[256];
  for (long long place = blockIdx.x; place < count; place += gridDim.x) {
    const long long row = index == nullptr ? place : index[place];
    row_of_gradient(X + row * N, dY + row * N, G, rstd[row], N, partial, value + place * N, scale + place * N);
  }
}

extern "C" __global__ void __launch_bounds__(kSlices * kColumns)
columns(const DTYPE* X, const DTYPE* dY, const float* rstd, int M, int N, const long long* index, long long count,
        ACC* value, ACC* scale) {
  column_of(M, N, index, count, value, scale, [&](long long row, long long i) {
    return ACC(to_float(dY[i])) * to_float(X[i]) * rstd[row];
  });
}
