// Rung 3, packets: as registers, with the packets handed to their threads through shared memory.
//
// Idea      a block copies its piece of X packet by packet, neighbours by neighbours, into shared memory; there each
//           thread reads its F packets. Every access, of any memory, is 16 bytes and whole.
// Banks     a thread's packets lie STRIDE packets behind its neighbour's, STRIDE the next odd number from F: eight
//           threads that read together read eight different 16 bytes of 128.
// Parameters THREADS a block. F is compiled in.
// Expects   N a multiple of 16 / size, F at most 16; Y may have a leading dimension of its own.
// Lacks     other numbers of structures, and longer ones, which shared takes.
#include "structures.cuh"

constexpr int kStride = FIELDS | 1;

extern "C" __global__ void __launch_bounds__(THREADS)
aos_to_soa(const Packet* __restrict__ X, Bits* __restrict__ Y, long long N, long long pitch_Y) {
  __shared__ Packet tile[THREADS * kStride];
  const int t = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * THREADS;  // in threads of the grid
  const long long left = N / kTogether - first;
  const int here = left < THREADS ? static_cast<int>(left) : THREADS;
#pragma unroll
  for (int k = 0; k < FIELDS; ++k) {
    const int p = k * THREADS + t;
    if (p < here * FIELDS) tile[p / FIELDS * kStride + p % FIELDS] = X[first * FIELDS + p];
  }
  __syncthreads();
  if (t >= here) return;
  Packet held[FIELDS];
#pragma unroll
  for (int p = 0; p < FIELDS; ++p) held[p] = tile[t * kStride + p];
#pragma unroll
  for (int f = 0; f < FIELDS; ++f) store_packet(Y + f * pitch_Y + (first + t) * kTogether, field(held, f));
}
