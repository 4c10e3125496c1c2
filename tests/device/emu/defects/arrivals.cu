// mbarriers with an order and a scope: an arrival that is relaxed tells nothing, a relaxed wait acquires nothing, and
// between blocks of a cluster both must be of .cluster. 64 threads.
#include "hopper.cuh"

#define ARRIVE_AS(how, at) asm volatile("mbarrier.arrive" how ".b64 _, [%0];" ::"r"(at) : "memory")
#define WAIT_AS(how, b)                                                                                               \
  asm volatile("{.reg .pred p;\nagain: mbarrier.try_wait.parity" how ".shared::cta.b64 p, [%0], 0;\n@!p bra again;}" \
               ::"r"(AT(b))                                                                                           \
               : "memory")
#define FENCE(scope) asm volatile("fence.acq_rel." scope ";" ::: "memory")

// Every thread arrives and waits, then reads what another warp has written.
CASE ordered(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) INIT(&bar, 64);
  __syncthreads();
  tile[t] = in[t];
  if (C == 3 || C == 5 || C == 6) FENCE("cta");
  if (C == 0 || C == 2 || C == 6) ARRIVE_AS(".release.cta.shared::cta", AT(&bar));
  if (C == 1 || C == 3 || C == 5) ARRIVE_AS(".relaxed.cta.shared::cta", AT(&bar));
  if (C == 4) ARRIVE_AS(".relaxed.cluster.shared::cta", AT(&bar));
  if (C == 0 || C == 1 || C == 4 || C == 5) WAIT_AS(".acquire.cta", &bar);
  if (C == 2 || C == 3 || C == 6) WAIT_AS(".relaxed.cta", &bar);
  if (C == 3) FENCE("cta");
  out[t] = tile[63 - t];  // found: 1 2 4 6
}
KERNEL(ordered, 0)
KERNEL(ordered, 1)
KERNEL(ordered, 2)
KERNEL(ordered, 3)
KERNEL(ordered, 4)
KERNEL(ordered, 5)
KERNEL(ordered, 6)

// A bulk copy arrives.
CASE brought(const float* in, float* out, unsigned*, int) {
  __shared__ __align__(16) float tile[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) {
    INIT(&bar, 1);
    FENCE_ASYNC();
    asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 256;" ::"r"(AT(&bar)) : "memory");
    LOAD(tile, in, 256, &bar);
  }
  __syncthreads();
  if (C == 0) WAIT_AS("", &bar);
  if (C != 0) WAIT_AS(".relaxed.cta", &bar);
  if (C == 2) FENCE("cta");
  out[t] = tile[63 - t];  // found: 1
}
KERNEL(brought, 0)
KERNEL(brought, 1)
KERNEL(brought, 2)

// Each block sends to the other one and arrives there.
CASE sent(const float* in, float* out, unsigned*, int) {
  __shared__ float box[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  unsigned rank, there, to;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0) {
    INIT(&bar, 64);
    FENCE_INIT();
  }
  CLUSTER_ARRIVE();
  CLUSTER_WAIT();
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(AT(&box[t])), "r"(1 - rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(AT(&bar)), "r"(1 - rank));
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(to), "f"(in[64 * rank + t]) : "memory");
  if (C == 5) FENCE("cluster");
  if (C == 6) FENCE("cta");
  if (C == 0 || C == 3 || C == 7) ARRIVE_AS(".release.cluster.shared::cluster", there);
  if (C == 1 || C == 2) ARRIVE_AS(".release.cta.shared::cluster", there);
  if (C == 8 || C == 9) ARRIVE_AS(".shared::cluster", there);
  if (C == 4 || C == 5 || C == 6) ARRIVE_AS(".relaxed.cluster.shared::cluster", there);
  if (C == 0 || C == 2 || C == 4 || C == 6) WAIT_AS(".acquire.cluster", &bar);
  if (C == 1 || C == 3 || C == 9) WAIT_AS(".acquire.cta", &bar);
  if (C == 5 || C == 7) WAIT_AS(".relaxed.cluster", &bar);
  if (C == 8) WAIT_AS("", &bar);
  if (C == 5) FENCE("cluster");
  if (C == 7) FENCE("cta");
  out[64 * rank + t] = box[63 - t];  // found: 1 2 3 4 6 7
}
KERNEL(sent, 0)
KERNEL(sent, 1)
KERNEL(sent, 2)
KERNEL(sent, 3)
KERNEL(sent, 4)
KERNEL(sent, 5)
KERNEL(sent, 6)
KERNEL(sent, 7)
KERNEL(sent, 8)
KERNEL(sent, 9)
