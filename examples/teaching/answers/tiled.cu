#include "common/types.cuh"

// An answer: both global accesses shall be along rows. The square goes through shared memory: x is read into it along
// its rows, and written out of it along the rows of `out`. PAD is the number of elements after each row of the square.
extern "C" __global__ void __launch_bounds__(TILE * ROWS) tiled(const DTYPE* x, DTYPE* out, int M, int N) {
  __shared__ DTYPE square[TILE][TILE + PAD];
  const int column = blockIdx.x * TILE + threadIdx.x;
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int row = blockIdx.y * TILE + i;
    if (row < M && column < N) square[i][threadIdx.x] = x[static_cast<long long>(row) * N + column];
  }
  __syncthreads();
  const int row = blockIdx.y * TILE + threadIdx.x;  // of x, and the column of out
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int column_of_x = blockIdx.x * TILE + i;
    if (row < M && column_of_x < N) out[static_cast<long long>(column_of_x) * M + row] = square[threadIdx.x][i];
  }
}
