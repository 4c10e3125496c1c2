// Clusters of two blocks that use each other's shared memory. 64 threads.
#include "hopper.cuh"

CASE exchange(const float* in, float* out, unsigned*, int) {
  __shared__ float mine[64];
  const int t = threadIdx.x;
  unsigned rank, peer;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  mine[t] = in[64 * rank + t];
  if (C == 3) {
    __syncthreads();
  } else if (C != 1) {
    if (C == 5)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
      CLUSTER_ARRIVE();
    CLUSTER_WAIT();
  }
  const unsigned there = C == 4 ? 2 : 1 - rank;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"(AT(&mine[63 - t])), "r"(there));  // found: 4
  float x;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(peer + (C == 6 ? 256 : 0)) : "memory");  // found: 1 2 3 5 6 7
  if (C == 7) {
    mine[t] = x;
  }
  if (C != 2) {
    CLUSTER_ARRIVE();
    CLUSTER_WAIT();
  }
  out[64 * rank + t] = x;
}
KERNEL(exchange, 0)
KERNEL(exchange, 1)
KERNEL(exchange, 2)
KERNEL(exchange, 3)
KERNEL(exchange, 4)
KERNEL(exchange, 5)
KERNEL(exchange, 6)
KERNEL(exchange, 7)

// Block 1 sends to block 0, which waits.
CASE send(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(16) float box[64];
  __shared__ unsigned long long ready;
  const int t = threadIdx.x;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0) {
    INIT(&ready, C == 3 ? 2 : 1);
    if (C != 1) FENCE_INIT();
  }
  __syncthreads();
  if (C != 2) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    CLUSTER_WAIT();
  }
  unsigned to, bar;
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(AT(&box[t])));
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(bar) : "r"(AT(&ready)));
  if (rank == 0) {
    if (t == 0) EXPECT(&ready, 256);
    if (C != 4) WAIT(&ready, 0);  // found: 3
    out[t] = box[63 - t];  // found: 4
  } else {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to), "f"(in[t]), "r"(bar) : "memory");  // found: 1 2
  }
}
KERNEL(send, 0)
KERNEL(send, 1)
KERNEL(send, 2)
KERNEL(send, 3)
KERNEL(send, 4)
