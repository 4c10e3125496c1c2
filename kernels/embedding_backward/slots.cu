// Rung 3, slots: each row of dW has a list of its first tokens to come.
//
// Idea      counted finds a row's second token by reading numbers on, a third of all of them on average, in every warp of
//           the row. Here the launch that counts writes tokens into SLOTS places of the row as well, in any order; a warp
//           sorts what it finds there in registers, so that the sum's order is fixed again. Only rows with more tokens than
//           places are searched for.
// Parameters as counted; SLOTS places a row: with the count 8, 16 or 32 bytes, one or two loads.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); dY and dW may have leading dimensions of their own.
// Gained    nothing that the model sees: of the few blocks that it counts hardly a row has two tokens. By arithmetic, 65536
//           tokens of 128256 rows: 12,000 rows have two or more, for each of which a warp of counted reads 22,000 numbers,
//           1.0 GB in all; more than three have 220 rows.
// Lacks     help for a row that very many tokens share (padding): D / (32 VEC CHUNKS) warps add it up alone.
#include "columns.cuh"

/// Of a row of dW, the count 0 at first: how many tokens, and SLOTS of them.
struct alignas(4 * (SLOTS + 1)) TokensOf {
  int count;
  int token[SLOTS];
};

extern "C" __global__ void __launch_bounds__(256) list_tokens(const int* __restrict__ ids, TokensOf* rows, int T) {
  const int token = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (token >= T) return;
  TokensOf& row = rows[ids[token]];
  const int place = atomicAdd(&row.count, 1);
  if (place < SLOTS) row.token[place] = token;
}

/// The least of the row's tokens that is larger than `last`; T: there is none.
__device__ __forceinline__ int next_token(const TokensOf& row, int last, int T) {
  int next = T;
#pragma unroll
  for (int s = 0; s < SLOTS; ++s)
    if (s < row.count && row.token[s] > last && row.token[s] < next) next = row.token[s];
  return next;
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
embedding_backward(const int* __restrict__ ids, const DTYPE* __restrict__ dY, float* __restrict__ dW,
                   const TokensOf* __restrict__ rows, int T, int V, int D, long long pitch_dy, long long pitch_dw) {
  Columns mine;
  const long long row = row_of_warp(D, mine);
  if (row >= V) return;
  const TokensOf tokens_of = rows[row];
  if (tokens_of.count > SLOTS) {
    add_from(0, tokens_of.count, ids, row, T, dY, pitch_dy, mine);
  } else {
    int last = -1;
    for (int done = 0; done < tokens_of.count; done += FLIGHT) {
      long long tokens[FLIGHT];
#pragma unroll
      for (int f = 0; f < FLIGHT; ++f) {
        last = next_token(tokens_of, last, T);
        tokens[f] = last < T ? last : -1;
      }
      mine.add(dY, pitch_dy, tokens);
    }
  }
  mine.store(dW + row * pitch_dw);
}
