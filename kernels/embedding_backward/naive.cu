// Rung 0, naive: a block searches all tokens for those of its row.
//
// Idea      the definition, turned around: who writes a row of dW looks for what belongs to it. Each thread compares one
//           token's number, all threads add the rows that were found, a column each, in the tokens' order: no atomics, and
//           the same bits every time.
// Expects   anything; dY and dW may have leading dimensions of their own.
// Lacks     a search that knows where to look: V blocks read T numbers each, most of them for nothing. Wide accesses.
#include "common/types.cuh"

extern "C" __global__ void __launch_bounds__(256)
embedding_backward(const int* __restrict__ ids, const DTYPE* __restrict__ dY, float* __restrict__ dW, int T, int D,
                   long long pitch_dy, long long pitch_dw) {
  __shared__ unsigned found[8];  // a bit a token
  const unsigned across = (static_cast<unsigned>(D) + 255) / 256;
  const int row = static_cast<int>(blockIdx.x / across);
  const int column = static_cast<int>(blockIdx.x % across * 256 + threadIdx.x);
  float sum = 0.0f;
  for (int begin = 0; begin < T; begin += 256) {
    const int token = begin + static_cast<int>(threadIdx.x);
    const unsigned mine = __ballot_sync(0xffffffffU, token < T && ids[token] == row);
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int word = 0; word < 8; ++word)
      for (unsigned left = found[word]; left != 0; left &= left - 1) {
        const long long t = begin + 32 * word + __ffs(static_cast<int>(left)) - 1;
        if (column < D) sum += to_float(dY[t * pitch_dy + column]);
      }
    __syncthreads();
  }
  if (column < D) dW[row * pitch_dw + column] = sum;
}
