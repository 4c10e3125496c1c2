extern "C" __global__ void total(const float* x, float* s, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + static_cast<long long>(r) * n;
  float high = 0, low = 0;
  for (int i = 0; i < n; ++i) {
    const float t = __fadd_rn(high, row[i]), z = __fsub_rn(t, high);
    low = __fadd_rn(low, __fadd_rn(__fsub_rn(high, __fsub_rn(t, z)), __fsub_rn(row[i], z)));
    high = __fadd_rn(t, low);
    low = __fsub_rn(low, __fsub_rn(high, t));
  }
  s[r] = high;
}
