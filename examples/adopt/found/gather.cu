// out[t] = table[ids[t]]
__global__ void embedding_gather(const float* __restrict__ table, const int* __restrict__ ids, float* out, int tokens, int vocab, int dim) {
  int t = blockIdx.x;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) out[(size_t)t * dim + i] = table[(size_t)ids[t] * dim + i];
}
void launch(float* table, int* ids, float* out) {
  int tokens = 512, vocab = 1000, dim = 256;
  cudaMalloc(&table, vocab * dim * sizeof(float));
  cudaMalloc(&ids, tokens * sizeof(int));
  cudaMalloc(&out, tokens * dim * sizeof(float));
  embedding_gather<<<tokens, 128>>>(table, ids, out, tokens, vocab, dim);
}
