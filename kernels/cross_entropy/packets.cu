// Rung 2, packets: LANES threads share a row, in packets of up to 16 bytes, UNROLL of them in flight.
//
// Idea      a thread asks for UNROLL packets before it adds the first, and finds the largest of all their logits at once:
//           the memory's pipes are full, and the sum is rescaled once for UNROLL VEC logits. A block has several short rows.
// Parameters LANES threads a row, ROWS rows a block, VEC elements an access, UNROLL accesses in flight.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X may have a leading dimension of its own.
// Gained    over online, 8192 rows of 32768 bf16 on emu:h200: 132.9 us modelled instead of 137.4.
// Lacks     a few long rows leave most SMs idle: see cluster.
#include "in_flight.cuh"

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
cross_entropy(const DTYPE* __restrict__ X, const int* __restrict__ labels, float* __restrict__ loss,
              float* __restrict__ lse, int M, int V, float smoothing, long long pitch) {
  __shared__ float words[LANES * ROWS / 32];
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  const long long i = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.x / LANES;
  const DTYPE* x = X + i * pitch;
  const int chunks = i < M ? V / VEC : 0;  // a row that is not there takes part in the shuffles
  const int label = i < M && lane == 0 ? labels[i] : -1;
  const RowSums row = over_threads<LANES>(own_sums<LANES>(x, chunks, lane), words);
  if (i < M && lane == 0) write_loss(row, x, label, V, smoothing, loss + i, lse + i);
}
