extern "C" __global__ void total(const float* x, float* s, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + static_cast<long long>(r) * n;
  float sum[4] = {}, lost[4] = {};
  for (int i = 0; i < n; ++i) {
    const int k = i % 4;
    const float y = __fsub_rn(row[i], lost[k]), t = __fadd_rn(sum[k], y);
    lost[k] = __fsub_rn(__fsub_rn(t, sum[k]), y);
    sum[k] = t;
  }
  float all = 0, rest = 0;
  for (int k = 0; k < 4; ++k) {
    const float y = __fsub_rn(__fsub_rn(sum[k], lost[k]), rest), t = __fadd_rn(all, y);
    rest = __fsub_rn(__fsub_rn(t, all), y);
    all = t;
  }
  s[r] = all;
}
