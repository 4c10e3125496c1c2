// Rung 3, cluster: the blocks of a cluster share a row.
//
// Idea      a few long rows keep CLUSTER times as many SMs busy: each block adds every CLUSTER-th run of packets, and
//           the blocks exchange their largest logit and their sums through distributed shared memory.
// Parameters CLUSTER blocks a row; THREADS a block; VEC elements an access, UNROLL accesses in flight.
// Expects   rows of a multiple of VEC elements (VEC = 1 takes any); X may have a leading dimension of its own; sm_90.
// Gained    over packets, 32 rows of 131072 bf16 on emu:h200: 6.3 us modelled instead of 13.5.
// Lacks     nothing for long rows; many of them do as well with packets, without the cluster's barriers.
#include "common/rows/row_cluster.cuh"
#include "in_flight.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
cross_entropy(const DTYPE* __restrict__ X, const int* __restrict__ labels, float* __restrict__ loss,
              float* __restrict__ lse, int V, float smoothing, long long pitch) {
  __shared__ float words[THREADS / 32];
  __shared__ float largest_of[CLUSTER], sum_of[CLUSTER], total_of[CLUSTER];
  arrive_in_cluster<CLUSTER>();
  const int rank = static_cast<int>(blockIdx.x) % CLUSTER;
  const long long i = blockIdx.x / CLUSTER;
  const DTYPE* x = X + i * pitch;
  const int first = rank * THREADS + static_cast<int>(threadIdx.x);
  const RowSums own = over_threads<THREADS>(own_sums<CLUSTER * THREADS>(x, V / VEC, first), words);

  wait_for_cluster<CLUSTER>();
  RowSums row;
  row.largest = over_cluster<CLUSTER>(own.largest, largest_of, rank, Larger());
  row.sum = over_cluster<CLUSTER>(own.share_of(row.largest), sum_of, rank, Sum());
  if (SMOOTHED) row.total = over_cluster<CLUSTER>(own.total, total_of, rank, Sum());
  if (rank == 0 && threadIdx.x == 0) write_loss(row, x, labels[i], V, smoothing, loss + i, lse + i);
}
