extern "C" __global__ void inverse(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  float guess = copysignf(__int_as_float(max(0x7EF311C3 - (__float_as_int(v) & 0x7FFFFFFF), 0)), v);
  for (int step = 0; step < 4; ++step) guess = fmaf(guess, fmaf(-v, guess, 1.0f), guess);
  y[i] = guess;
}
