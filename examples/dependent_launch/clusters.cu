// Persistent clusters. The grid is made for one block to an SM: 132 SMs hold fewer than 33 clusters of four, since each
// lies within a GPC, and a grid of 33 would have some of them begin when others have ended.
#include <cooperative_groups.h>

extern "C" __global__ void __launch_bounds__(128)
column_sums(const float* __restrict__ X, const float* __restrict__ w, float* __restrict__ s, int M, int N) {
  __shared__ float parts[CLUSTER * 128];  // the first block's has the sums of all
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int clusters = static_cast<int>(gridDim.x) / CLUSTER;
  float* const gathered = cluster.map_shared_rank(parts, 0);
  cluster.sync();  // the first block need not have begun
  for (int tile = static_cast<int>(blockIdx.x) / CLUSTER; tile * 128 < N; tile += clusters) {
    const int column = tile * 128 + static_cast<int>(threadIdx.x);
    float sum = 0;
    for (int row = rank; row < M && column < N; row += CLUSTER) sum += X[static_cast<long long>(row) * N + column];
    gathered[rank * 128 + threadIdx.x] = sum;
    cluster.sync();
    if (rank == 0 && column < N) {
      float total = 0;
      for (int block = 0; block < CLUSTER; ++block) total += parts[block * 128 + threadIdx.x];
      s[column] = w[column] * total;
    }
    cluster.sync();  // before the next tile's sums, and before any block ends
  }
}
