// Rung 0, naive: one thread a structure.
//
// Idea      the definition. The stores of a warp are neighbours; its loads are F elements apart, so that each of them
//           asks for all sectors of the warp's structures, F times over.
// Expects   anything; Y may have a leading dimension of its own.
// Lacks     coalesced loads: only the first-level cache keeps memory from reading everything F times.
#include "bits.cuh"

extern "C" __global__ void __launch_bounds__(256)
aos_to_soa(const Bits* __restrict__ X, Bits* __restrict__ Y, long long N, int F, long long pitch_Y) {
  const long long n = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (n >= N) return;
  for (int f = 0; f < F; ++f) Y[f * pitch_Y + n] = X[n * F + f];
}
