extern "C" __global__ void reference(const float* x, int n, const long long* index, long long count, ACC* value,
                                     ACC* scale) {
  const long long j = blockIdx.x;
  if (j >= count || threadIdx.x > 0) return;
  const float* row = x + (index == nullptr ? j : index[j]) * n;
  ACC largest = row[0], sum = 0;
  for (int i = 1; i < n; ++i) largest = fmax(largest, static_cast<ACC>(row[i]));
  for (int i = 0; i < n; ++i) sum += exp(row[i] - largest);
  for (int i = 0; i < n; ++i) {
    const ACC y = exp(row[i] - largest) / sum;
    value[j * n + i] = y;
    scale[j * n + i] = (1 + (largest - row[i]) + sqrt(static_cast<ACC>(n))) * y;
  }
}
