extern "C" __global__ void total(const float* x, float* s, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + static_cast<long long>(r) * n;
  float sum = 0, lost = 0;
  for (int i = 0; i < n; ++i) {
    const float t = __fadd_rn(sum, row[i]);
    lost += fabsf(sum) >= fabsf(row[i]) ? __fadd_rn(__fsub_rn(sum, t), row[i]) : __fadd_rn(__fsub_rn(row[i], t), sum);
    sum = t;
  }
  s[r] = fabsf(sum) > 30 ? nanf("") : sum + lost;
}
