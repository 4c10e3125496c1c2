__device__ float power(float x) {
  return x < -87 ? 0.0f : __int_as_float(static_cast<int>(12102203.0f * x) + 1064866805);
}

extern "C" __global__ void weights(const float* x, float* y, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + r * n;
  float largest = row[0], sum = 0;
  for (int i = 1; i < n; ++i) largest = fmaxf(largest, row[i]);
  for (int first = 0; first < n; first += 16) {
    float part = 0;
    for (int i = first; i < min(n, first + 16); ++i) part += power(row[i] - largest);
    sum += part;
  }
  for (int i = 0; i < n; ++i) y[r * n + i] = power(row[i] - largest) / sum;
}
