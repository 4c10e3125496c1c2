extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0, lost = 0;
  for (int i = 0; i < k; ++i) {
    const float y = fmaf(a[row * k + i], b[i * n + column], -lost), t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
  d[row * n + column] = sum;
}
