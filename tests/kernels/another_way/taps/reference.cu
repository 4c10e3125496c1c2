extern "C" __global__ void reference(const float* x, const float* g, int n, const long long* index, long long count,
                                     ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 64ll + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j], row = at / n, column = at % n;
  ACC sum = 0, squares = 0;
  for (int t = 0; t < 3; ++t) {
    const ACC term = static_cast<ACC>(x[row * (n + 2) + column + t]) * g[3 * row + t];
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
