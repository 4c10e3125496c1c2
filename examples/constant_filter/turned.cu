// Both operands are walked upwards. The filter was turned round once, before the runs.
extern "C" __global__ void turn_round(const float* f, float* turned, int W) {
  const int k = blockIdx.x * 128 + threadIdx.x;
  if (k < W) turned[k] = f[W - 1 - k];
}

extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ turned, float* __restrict__ y,
                                    int N, int W) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= N) return;
  float sum = 0;
  for (int k = 0; k < W; ++k) {
    const int at = i - W / 2 + k;
    if (at >= 0 && at < N) sum += x[at] * turned[k];
  }
  y[i] = sum;
}
