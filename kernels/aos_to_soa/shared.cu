// Rung 1, shared: the structures of a block go through shared memory.
//
// Idea      a block's structures are one piece of memory: it is read as such, neighbour by neighbour, and taken apart in
//           shared memory. Loads and stores are coalesced. A warp reads a field F elements apart there: with F odd and 32
//           bits these are 32 banks, with F even they are fewer.
// Parameters THREADS a block, one structure each.
// Expects   anything whose tile fits shared memory; Y may have a leading dimension of its own.
// Lacks     wide accesses: 4 bytes a thread, 2 in 16-bit types, and as many in flight as the loop has rounds.
#include "bits.cuh"

extern __shared__ unsigned tile_words[];

extern "C" __global__ void __launch_bounds__(THREADS)
aos_to_soa(const Bits* __restrict__ X, Bits* __restrict__ Y, long long N, int F, long long pitch_Y) {
  Bits* tile = reinterpret_cast<Bits*>(tile_words);
  const int t = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * THREADS;
  const int here = N - first < THREADS ? static_cast<int>(N - first) : THREADS;
  const int elements = here * F;
#pragma unroll 5
  for (int e = t; e < elements; e += THREADS) tile[e] = X[first * F + e];
  __syncthreads();
  if (t >= here) return;
#pragma unroll 5
  for (int f = 0; f < F; ++f) Y[f * pitch_Y + first + t] = tile[t * F + f];
}
