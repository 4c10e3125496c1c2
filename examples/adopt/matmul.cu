// A product of matrices as one finds it: a simple kernel, one with tiles in shared memory, and a program around them.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#define TILE 16
#define PER_THREAD 4

#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))

__global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

/// A block computes TILE x TILE * PER_THREAD elements, a thread PER_THREAD of one row.
__global__ void __launch_bounds__(TILE* TILE)
    matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE * PER_THREAD];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int first = blockIdx.x * TILE * PER_THREAD + threadIdx.x;
  float sums[PER_THREAD] = {};
  for (int start = 0; start < k; start += TILE) {
    const int at = start + threadIdx.x;
    tile_a[threadIdx.y][threadIdx.x] = row < m && at < k ? a[row * k + at] : 0.0f;
    for (int i = 0; i < PER_THREAD; ++i) {
      const int column = first + i * TILE, from = start + threadIdx.y;
      tile_b[threadIdx.y][threadIdx.x + i * TILE] = from < k && column < n ? b[from * n + column] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < TILE; ++j)
      for (int i = 0; i < PER_THREAD; ++i) sums[i] += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x + i * TILE];
    __syncthreads();
  }
  for (int i = 0; i < PER_THREAD; ++i)
    if (row < m && first + i * TILE < n) c[row * n + first + i * TILE] = sums[i];
}

int main() {
  const int m = 256, n = 256, k = 256;
  std::vector<float> host_a(m * k, 1.0f), host_b(k * n, 2.0f), host_c(m * n);
  float *a, *b, *c;
  cudaMalloc(&a, m * k * sizeof(float));
  cudaMalloc(&b, k * n * sizeof(float));
  cudaMalloc(&c, m * n * sizeof(float));
  cudaMemcpy(a, host_a.data(), host_a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host_b.data(), host_b.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(16, 16);
  dim3 grid(CEIL_DIV(n, block.x), CEIL_DIV(m, block.y));
  matmul_naive<<<grid, block>>>(a, b, c, m, n, k);
  dim3 tiles(CEIL_DIV(n, TILE * PER_THREAD), CEIL_DIV(m, TILE));
  dim3 threads(TILE, TILE);
  matmul_tiled<<<tiles, threads>>>(a, b, c, m, n, k);
  cudaMemcpy(host_c.data(), c, host_c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host_c[0]);
  return 0;
}
