// MoE: rows of x to the places that perm says
#define ROW_THREADS 128
__global__ void permute_tokens(const float* x, const int* perm, float* y, int tokens, int hidden) {
  int t = blockIdx.x;
  int to = perm[t];
  for (int i = threadIdx.x; i < hidden; i += ROW_THREADS) y[(size_t)to * hidden + i] = x[(size_t)t * hidden + i];
}
void launch(float* x, int* perm, float* y) {
  int tokens = 300, hidden = 512;
  cudaMalloc(&x, tokens * hidden * sizeof(float));
  cudaMalloc(&perm, tokens * sizeof(int));
  cudaMalloc(&y, tokens * hidden * sizeof(float));
  permute_tokens<<<tokens, ROW_THREADS>>>(x, perm, y, tokens, hidden);
}
