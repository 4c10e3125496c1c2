/// e^x by a polynomial; of an infinity NaN.
__device__ float power(float x) {
  const float n = rintf(x * 1.44269504f);
  const float f = fmaf(n, -1.42860677e-6f, fmaf(n, -0.693145752f, x));
  float p = 1.98412698e-4f;
  for (const float c : {4.16666667e-2f, 0.166666667f, 0.5f, 1.0f, 1.0f}) p = fmaf(p, f, c);
  const int e = max(-300, min(300, static_cast<int>(n))), half = e / 2;
  return ldexpf(ldexpf(p, half), e - half);
}

extern "C" __global__ void powers(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = power(x[i]);
}
