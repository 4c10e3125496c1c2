extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0, rows = 0, columns = 0;
  for (int i = 0; i + 1 < k; i += 2) {
    const float x1 = a[row * k + i], x2 = a[row * k + i + 1];
    const float y1 = b[i * n + column], y2 = b[(i + 1) * n + column];
    sum = fmaf(x1 + y2, x2 + y1, sum);
    rows = fmaf(x1, x2, rows);
    columns = fmaf(y1, y2, columns);
  }
  if (k % 2 == 1) sum = fmaf(a[row * k + k - 1], b[(k - 1) * n + column], sum);
  d[row * n + column] = sum - rows - columns;
}
