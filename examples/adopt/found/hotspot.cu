#include <stdio.h>
#define BLOCK_X 32
#define BLOCK_Y 8
__global__ void hotspot_step(const float* power, const float* temp, float* temp_dst, int rows, int cols,
                             float Rx_1, float Ry_1, float Rz_1, float step) {
  int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= cols || y >= rows) return;
  int i = y * cols + x;
  float c = temp[i];
  float n = y > 0 ? temp[i - cols] : c, s = y < rows - 1 ? temp[i + cols] : c;
  float w = x > 0 ? temp[i - 1] : c, e = x < cols - 1 ? temp[i + 1] : c;
  temp_dst[i] = c + step * (power[i] + (n + s - 2 * c) * Ry_1 + (e + w - 2 * c) * Rx_1 + (80.0f - c) * Rz_1);
}
int main() {
  int rows = 512, cols = 512;
  float *power, *temp, *dst;
  cudaMalloc((void**)&power, sizeof(float) * rows * cols);
  cudaMalloc((void**)&temp, sizeof(float) * rows * cols);
  cudaMalloc((void**)&dst, sizeof(float) * rows * cols);
  dim3 block(BLOCK_X, BLOCK_Y), grid((cols + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
  hotspot_step<<<grid, block>>>(power, temp, dst, rows, cols, 0.1f, 0.1f, 0.03f, 0.002f);
}
