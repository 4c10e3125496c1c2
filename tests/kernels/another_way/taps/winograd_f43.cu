extern "C" __global__ void taps(const float* x, const float* g, float* y, int m, int n) {
  const int row = blockIdx.y, first = 4 * (blockIdx.x * 32 + threadIdx.x);
  if (first >= n) return;
  float d[6], out[4];
  for (int i = 0; i < 6; ++i) d[i] = first + i < n + 2 ? x[row * (n + 2) + first + i] : 0.0f;
  const float g0 = g[3 * row], g1 = g[3 * row + 1], g2 = g[3 * row + 2];
  const float u0 = g0 / 4, u1 = -(g0 + g1 + g2) / 6, u2 = -(g0 - g1 + g2) / 6;
  const float u3 = g0 / 24 + g1 / 12 + g2 / 6, u4 = g0 / 24 - g1 / 12 + g2 / 6;
  const float p0 = (4 * d[0] - 5 * d[2] + d[4]) * u0, p1 = (d[4] + d[3] - 4 * (d[2] + d[1])) * u1;
  const float p2 = (d[4] - d[3] - 4 * (d[2] - d[1])) * u2, p3 = (d[4] - d[2] + 2 * (d[3] - d[1])) * u3;
  const float p4 = (d[4] - d[2] - 2 * (d[3] - d[1])) * u4, p5 = (4 * d[1] - 5 * d[3] + d[5]) * g2;
  out[0] = p0 + p1 + p2 + p3 + p4;
  out[1] = p1 - p2 + 2 * (p3 - p4);
  out[2] = p1 + p2 + 4 * (p3 + p4);
  out[3] = p1 - p2 + 8 * (p3 - p4) + p5;
  for (int i = 0; i < 4; ++i)
    if (first + i < n) y[row * n + first + i] = out[i];
}
