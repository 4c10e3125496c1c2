/// e^x by a polynomial; of an infinity NaN.
__device__ float power(float x) {
  const float n = rintf(x * 1.44269504f);
  const float f = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, x));
  float p = 1.98412698e-4f;
  for (const float c : {1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f, 0.166666667f, 0.5f, 1.0f, 1.0f}) p = fmaf(p, f, c);
  const int e = max(-300, min(300, static_cast<int>(n))), half = e / 2;
  return ldexpf(ldexpf(p, half), e - half);
}

extern "C" __global__ void weights(const float* x, float* y, int m, int n) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= m) return;
  const float* row = x + r * n;
  float largest = 0, sum = 0;
  for (int first = 0; first < n; first += 16) {
    float part = 0;
    for (int i = first; i < min(n, first + 16); ++i) part += power(row[i] - largest);
    sum += part;
  }
  for (int i = 0; i < n; ++i) y[r * n + i] = power(row[i] - largest) / sum;
}
