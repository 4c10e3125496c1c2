// Division, square roots, the slow path of sinf with its local array, powers. math_sm80.ptx: --gpu-architecture=sm_80.
extern "C" __global__ void single_precision(float* out, const float* in, int n) {
  const int i = threadIdx.x;
  const float x = in[i], y = in[i + 32];
  float s, c;
  __sincosf(x, &s, &c);
  out[i] = sinf(x) + x / y + sqrtf(x) + rsqrtf(y) + powf(x, y) + __fdividef(x, y) + s * c;
  out[i + 32] = fmodf(x, y) + __frcp_rz(x) + __expf(x) + __logf(y) + tanhf(x) + rintf(x) + ldexpf(y, n);
  out[i + 64] = isnan(x) ? fminf(x, y) : fmaxf(x, copysignf(y, x));
}
extern "C" __global__ void double_precision(double* out, const double* in, int n) {
  const int i = threadIdx.x;
  const double x = in[i], y = in[i + 32];
  out[i] = x / y + sqrt(x) + 1 / y + exp(x) + floor(x) + __longlong_as_double(n);
  out[i + 32] = atomicAdd(out + 64, __shfl_down_sync(~0u, x, 3));
}
