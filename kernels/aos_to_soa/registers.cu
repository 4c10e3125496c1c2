// Rung 2, registers: 16 bytes an access on both sides, the structures are taken apart in registers.
//
// Idea      16 / size neighbouring structures are F packets of 16 bytes: a thread loads them all, all in flight at once,
//           and puts each field together. No shared memory, no barrier; of 32 bits an element only changes its name, of
//           16 bits two of them take one byte permutation.
// Parameters THREADS a block. F is compiled in.
// Expects   N a multiple of 16 / size, F at most 16; Y may have a leading dimension of its own.
// Lacks     coalesced loads: the packets of neighbouring threads are F packets apart, so that with F > 1 an access asks
//           for twice the sectors that it needs, the other half of which the first-level cache has to keep.
#include "structures.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
aos_to_soa(const Packet* __restrict__ X, Bits* __restrict__ Y, long long N, long long pitch_Y) {
  const long long mine = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (mine >= N / kTogether) return;
  Packet held[FIELDS];
#pragma unroll
  for (int p = 0; p < FIELDS; ++p) held[p] = X[mine * FIELDS + p];
#pragma unroll
  for (int f = 0; f < FIELDS; ++f) store_packet(Y + f * pitch_Y + mine * kTogether, field(held, f));
}
