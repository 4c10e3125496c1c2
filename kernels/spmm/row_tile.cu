// Rung 2, row_tile: HEIGHT rows a block, their columns and values in shared memory.
//
// Idea       the non-zeros of neighbouring rows lie side by side: all threads bring them, whole lines at a time, however
//            short the rows are, and WIDTH threads of each row read them from shared memory, all the same word. WIDTH is as
//            wide as B is, so that no lane idles and A is read once.
// Parameters WIDTH threads x VEC columns, HEIGHT rows of a block; CHUNK non-zeros in shared memory.
// Expects    rows of B and C of whole VEC numbers.
// Lacks      balance: a block waits for its longest row, a multiprocessor for its longest block.
#include "piece.cuh"

constexpr int kThreads = WIDTH * HEIGHT;

extern "C" __global__ void __launch_bounds__(kThreads)
row_tile(const int* __restrict__ starts, const int* __restrict__ columns, const DTYPE* __restrict__ values,
         const DTYPE* __restrict__ B, DTYPE* __restrict__ C, int M, int N) {
  __shared__ int held_columns[CHUNK];
  __shared__ float held_values[CHUNK];
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.x) * HEIGHT;
  const int row = first_row + thread / WIDTH;
  const int n = (static_cast<int>(blockIdx.y) * WIDTH + thread % WIDTH) * VEC;
  const bool mine = row < M && n < N;
  const int begin = mine ? starts[row] : 0, end = mine ? starts[row + 1] : 0;
  const int last = starts[min(first_row + HEIGHT, M)];
  float sums[VEC] = {};
  for (int first = starts[first_row]; first < last; first += CHUNK) {
    const int here = min(CHUNK, last - first);
    __syncthreads();
    for (int i = thread; i < here; i += kThreads) {
      held_columns[i] = columns[first + i];
      held_values[i] = to_float(values[first + i]);
    }
    __syncthreads();
    const int to = min(end - first, here);
#pragma unroll 4
    for (int i = max(begin - first, 0); i < to; ++i)
      add_product(sums, held_values[i], B + static_cast<long long>(held_columns[i]) * N + n);
  }
  if (mine) store(C + static_cast<long long>(row) * N + n, sums);
}
