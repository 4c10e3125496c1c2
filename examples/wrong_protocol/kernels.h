#pragma once
// What is timed: one kernel that waits for memory, one that computes.

namespace wrong_protocol {

constexpr const char* kSource = R"cuda(
extern "C" __global__ void axpy(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f * x[i] + 0.5f * y[i];
}
extern "C" __global__ void product(const float* a, float* d, int n) {  // d = a a, n a multiple of 32
  __shared__ float left[32][33], right[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  d[row * n + column] = sum;
}
)cuda";

}  // namespace wrong_protocol
