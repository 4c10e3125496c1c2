extern "C" __global__ void total(const float* x, float* s, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + static_cast<long long>(r) * n;
  float sum = 0, lost = 0;
  for (int i = 0; i < n; ++i) {
    const float y = __fsub_rn(row[i], lost), t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
  s[r] = sum;
}
