/// To so many bits behind the leading one, ties away from zero.
__device__ float cut(float x, int bits) {
  const unsigned drop = 23 - bits, half = 1u << (drop - 1);
  return __uint_as_float((__float_as_uint(x) + half) & ~((1u << drop) - 1));
}

extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    float x[2], y[2], rest_x = a[row * k + i], rest_y = b[i * n + column];
    for (int p = 0; p < 2; ++p) {
      x[p] = cut(rest_x, 7);
      y[p] = cut(rest_y, 7);
      rest_x -= x[p];
      rest_y -= y[p];
    }
    sum = fmaf(x[1], y[0], sum);
    sum = fmaf(x[0], y[1], sum);
    sum = fmaf(x[0], y[0], sum);
  }
  d[row * n + column] = sum;
}
