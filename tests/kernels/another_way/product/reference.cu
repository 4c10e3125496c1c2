extern "C" __global__ void reference(const float* a, const float* b, int n, int k, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 64ll + threadIdx.x;
  if (j >= count) return;
  const long long at = index == nullptr ? j : index[j], row = at / n, column = at % n;
  ACC sum = 0, squares = 0;
  for (int i = 0; i < k; ++i) {
    const ACC term = static_cast<ACC>(a[row * k + i]) * b[static_cast<long long>(i) * n + column];
    sum += term;
    squares += term * term;
  }
  value[j] = sum;
  scale[j] = sqrt(squares);
}
