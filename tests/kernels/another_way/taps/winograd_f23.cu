extern "C" __global__ void taps(const float* x, const float* g, float* y, int m, int n) {
  const int row = blockIdx.y, first = 2 * (blockIdx.x * 32 + threadIdx.x);
  if (first >= n) return;
  float d[4], out[2];
  for (int i = 0; i < 4; ++i) d[i] = first + i < n + 2 ? x[row * (n + 2) + first + i] : 0.0f;
  const float g0 = g[3 * row], g1 = g[3 * row + 1], g2 = g[3 * row + 2];
  const float p = (d[0] - d[2]) * g0, s = (d[1] - d[3]) * g2;
  const float q = (d[1] + d[2]) * ((g0 + g1 + g2) / 2), r = (d[2] - d[1]) * ((g0 - g1 + g2) / 2);
  out[0] = p + q + r;
  out[1] = q - r - s;
  for (int i = 0; i < 2; ++i)
    if (first + i < n) y[row * n + first + i] = out[i];
}
