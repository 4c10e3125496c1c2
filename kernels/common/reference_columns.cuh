#pragma once
// For references whose outputs are sums over the rows of a matrix: eight columns a block, 128 threads for each. Where there
// are few columns of very many rows, one thread for each took half a minute of 2^28 rows on an H200.
//   grid = ["ceil_div(count, 8)"]
//   block = [1024]

constexpr int kColumns = 8, kSlices = 128;

/// Sum of term(row, element) over a column, and the root of the sum of the squares; each thread takes a slice of the
/// rows.
template <typename Term>
__device__ __forceinline__ void column_of(int M, int N, const long long* index, long long count, ACC* value, ACC* scale,
                                          Term term) {
  __shared__ ACC sums[kSlices * kColumns], squares[kSlices * kColumns];
  const int own = threadIdx.x, slice = own / kColumns;
  const long long place = static_cast<long long>(blockIdx.x) * kColumns + own % kColumns;
  const long long column = index == nullptr || place >= count ? place : index[place];
  ACC sum = 0, square = 0;
  for (long long row = slice; row < M && place < count; row += kSlices) {
    const ACC one = term(row, row * N + column);
    sum += one;
    square += one * one;
  }
  sums[own] = sum;
  squares[own] = square;
  for (int half = kSlices / 2; half > 0; half /= 2) {
    __syncthreads();
    if (slice >= half) continue;
    sums[own] += sums[own + half * kColumns];
    squares[own] += squares[own + half * kColumns];
  }
  if (slice > 0 || place >= count) return;
  value[place] = sums[own];
  scale[place] = sqrt(squares[own]);
}
