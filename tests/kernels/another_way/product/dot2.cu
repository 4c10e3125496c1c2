extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0, lost = 0;
  for (int i = 0; i < k; ++i) {
    const float x = a[row * k + i], y = b[i * n + column];
    const float p = __fmul_rn(x, y), t = __fadd_rn(sum, p), z = __fsub_rn(t, sum);
    lost += fmaf(x, y, -p) + __fadd_rn(__fsub_rn(sum, __fsub_rn(t, z)), __fsub_rn(p, z));
    sum = t;
  }
  d[row * n + column] = sum + lost;
}
