// layer norm, in place: x <- (x - mean) / sqrt(var + eps) * w + b
__device__ float block_sum(float v) {
  __shared__ float s[32];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) s[0] = v;
  __syncthreads();
  v = s[0];
  __syncthreads();
  return v;
}
template <int THREADS>
__global__ void layernorm_inplace(float* x, const float* w, const float* b, int rows, int cols, float eps) {
  float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0, sq = 0;
  for (int i = threadIdx.x; i < cols; i += THREADS) sum += row[i];
  float mean = block_sum(sum) / cols;
  for (int i = threadIdx.x; i < cols; i += THREADS) sq += (row[i] - mean) * (row[i] - mean);
  float r = rsqrtf(block_sum(sq) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += THREADS) row[i] = (row[i] - mean) * r * w[i] + b[i];
}
__global__ void layernorm_naive(float* x, const float* w, const float* b, int rows, int cols, float eps) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* p = x + (size_t)row * cols;
  float mean = 0, var = 0;
  for (int i = 0; i < cols; ++i) mean += p[i];
  mean /= cols;
  for (int i = 0; i < cols; ++i) var += (p[i] - mean) * (p[i] - mean);
  float r = 1.0f / sqrtf(var / cols + eps);
  for (int i = 0; i < cols; ++i) p[i] = (p[i] - mean) * r * w[i] + b[i];
}
void run(float* x, float* w, float* b) {
  int rows = 256, cols = 768;
  cudaMalloc(&x, rows * cols * sizeof(float)); cudaMalloc(&w, cols * sizeof(float)); cudaMalloc(&b, cols * sizeof(float));
  layernorm_inplace<256><<<rows, 256>>>(x, w, b, rows, cols, 1e-5f);
  layernorm_naive<<<(rows + 127) / 128, 128>>>(x, w, b, rows, cols, 1e-5f);
}
