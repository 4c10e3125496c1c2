#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define VERTICES 600
#define BLOCK 256
__global__ void pnpoly(int *bitmap, const float2 *points, const float2 *vertices, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    int c = 0;
    float2 p = points[i];
    int k = VERTICES - 1;
    for (int j = 0; j < VERTICES; k = j++) {
      float2 vj = vertices[j], vk = vertices[k];
      float slope = (vk.x - vj.x) / (vk.y - vj.y);
      if (((vj.y > p.y) != (vk.y > p.y)) && (p.x < slope * (p.y - vj.y) + vj.x)) c = !c;
    }
    bitmap[i] = c;
  }
}
int main() {
  int n = 20000;
  float2 *points, *vertices; int *bitmap;
  cudaMalloc(&points, n * sizeof(float2)); cudaMalloc(&vertices, VERTICES * sizeof(float2)); cudaMalloc(&bitmap, n * sizeof(int));
  pnpoly<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(bitmap, points, vertices, n);
  cudaDeviceSynchronize(); printf("done\n");
}
