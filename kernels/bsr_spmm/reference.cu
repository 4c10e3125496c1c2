// One element of C for each index, 32 of them by a block of 8 warps, each with every eighth block of the row. Number j is
// index[j], or j when index is null.
#include "common/types.cuh"

constexpr float kSmallest = 1.1754943508222875e-38f;  // below the smallest normal number errors are as large as at it

struct Sums {
  ACC sum, square;
};

__device__ void add_block(Sums& sums, const DTYPE* row, const DTYPE* column, int N) {
  for (int k = 0; k < SIDE; ++k) {
    const ACC term = static_cast<ACC>(to_float(row[k])) * static_cast<ACC>(to_float(column[static_cast<long long>(k) * N]));
    sums.sum += term;
    sums.square += term * term;
  }
}

extern "C" __global__ void reference(const int* starts, const int* columns, const DTYPE* values, const DTYPE* B, int N,
                                     const long long* index, long long count, ACC* value, ACC* scale) {
  __shared__ Sums held[8][32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const long long j = 32LL * blockIdx.x + lane;
  int begin = 0, end = 0;
  Sums own = {0, 0};
  if (j < count) {
    const long long at = index == nullptr ? j : index[j];
    const long long row = at / N / SIDE, within = at / N % SIDE, n = at % N;
    begin = starts[row];
    end = starts[row + 1];
    for (long long i = begin + warp; i < end; i += 8)
      add_block(own, values + (i * SIDE + within) * SIDE, B + static_cast<long long>(columns[i]) * SIDE * N + n, N);
  }
  held[warp][lane] = own;
  __syncthreads();
  if (j >= count || warp != 0) return;
  for (int i = 1; i < 8; ++i) {
    own.sum += held[i][lane].sum;
    own.square += held[i][lane].square;
  }
  value[j] = own.sum;
  // The bound of a sum of n terms, u sqrt(n) 2 (|r| + 2 R) (docs/tolerance.md), as the 4 u s of this rule.
  const ACC terms = static_cast<ACC>(end - begin) * SIDE;
  scale[j] = sqrt(terms) * (fabs(own.sum) + 2 * sqrt(own.square) + 2 * kSmallest) / 2;
}
