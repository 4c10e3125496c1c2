// As one finds it beside a tuner's script: block_size_x, block_size_y, tile_x and use_shared are macros of the tuner.
#define FILTER 5

__constant__ float filter[FILTER * FILTER];

__global__ void convolution(float* out, const float* in, int width, int height) {
  const int row = blockIdx.y * block_size_y + threadIdx.y;
  const int in_width = width + FILTER - 1;
#if use_shared
  __shared__ float tile[block_size_y + FILTER - 1][block_size_x * tile_x + FILTER - 1];
  const int left = blockIdx.x * block_size_x * tile_x, top = blockIdx.y * block_size_y;
  for (int y = threadIdx.y; y < block_size_y + FILTER - 1; y += block_size_y)
    for (int x = threadIdx.x; x < block_size_x * tile_x + FILTER - 1; x += block_size_x)
      if (left + x < in_width && top + y < height + FILTER - 1) tile[y][x] = in[(top + y) * in_width + left + x];
  __syncthreads();
#endif
#pragma unroll
  for (int t = 0; t < tile_x; ++t) {
    const int within = threadIdx.x + t * block_size_x;
    const int column = blockIdx.x * block_size_x * tile_x + within;
    if (row >= height || column >= width) continue;
    float sum = 0;
    for (int y = 0; y < FILTER; ++y)
      for (int x = 0; x < FILTER; ++x) {
#if use_shared
        sum += tile[threadIdx.y + y][within + x] * filter[y * FILTER + x];
#else
        sum += in[(row + y) * in_width + column + x] * filter[y * FILTER + x];
#endif
      }
    out[row * width + column] = sum;
  }
}
