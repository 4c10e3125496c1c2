/// Beyond its edges a matrix holds zeros.
__device__ float at(const float* x, int rows, int columns, int row, int column) {
  return row < rows && column < columns ? x[row * columns + column] : 0.0f;
}

__device__ void put(float* d, int rows, int columns, int row, int column, float value) {
  if (row < rows && column < columns) d[row * columns + column] = value;
}

extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k) {
  const int h = (m + 1) / 2, w = (n + 1) / 2, half = (k + 1) / 2;
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= h || column >= w) return;
  float p[7] = {};
  for (int i = 0; i < half; ++i) {
    const float a11 = at(a, m, k, row, i), a12 = at(a, m, k, row, half + i);
    const float a21 = at(a, m, k, h + row, i), a22 = at(a, m, k, h + row, half + i);
    const float b11 = at(b, k, n, i, column), b12 = at(b, k, n, i, w + column);
    const float b21 = at(b, k, n, half + i, column), b22 = at(b, k, n, half + i, w + column);
    p[0] = fmaf(a11 + a22, b11 + b22, p[0]);
    p[1] = fmaf(a21 + a22, b11, p[1]);
    p[2] = fmaf(a11, b12 - b22, p[2]);
    p[3] = fmaf(a22, b21 - b11, p[3]);
    p[4] = fmaf(a11 + a12, b22, p[4]);
    p[5] = fmaf(a21 - a11, b11 + b12, p[5]);
    p[6] = fmaf(a12 - a22, b21 + b22, p[6]);
  }
  put(d, m, n, row, column, p[0] + p[3] - p[4] + p[6]);
  put(d, m, n, row, w + column, p[2] + p[4]);
  put(d, m, n, h + row, column, p[1] + p[3]);
  put(d, m, n, h + row, w + column, p[0] - p[1] + p[2] + p[5]);
}
