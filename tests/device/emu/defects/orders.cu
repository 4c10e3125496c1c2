// Orders between blocks: scopes that do not reach, loads through the cache of what nobody writes. 4 blocks of 64
// threads (scopes_near: clusters of 2); in: 256 floats, out: 256 floats, flags: 64 words that are zero.
#include "defect.cuh"

// All blocks meet, then read what their neighbour wrote.
CASE noncoherent(const float* in, float* out, unsigned* flags, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(flags, 1);
    while (*static_cast<volatile unsigned*>(flags) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  float sum = __ldcg(out + (i + 64) % n);
  if (C == 1) sum += __ldg(out + (i + 64) % n);  // found: 1
  if (C == 2) sum += __ldg(out + i);  // found: 2
  if (C == 3) sum += __ldg(in + (i + 64) % n);
  out[i + n] = sum;
}
KERNEL(noncoherent, 0)
KERNEL(noncoherent, 1)
KERNEL(noncoherent, 2)
KERNEL(noncoherent, 3)

__device__ __forceinline__ void pass(unsigned* flags, unsigned value, bool near) {
  if (near)
    asm volatile("st.release.cluster.global.u32 [%0], %1;" ::"l"(flags), "r"(value) : "memory");
  else
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned look(const unsigned* flags, bool near) {
  unsigned value;
  if (near)
    asm volatile("ld.acquire.cluster.global.u32 %0, [%1];" : "=r"(value) : "l"(flags) : "memory");
  else
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flags) : "memory");
  return value;
}

// Blocks one after the other; case 3: relaxed, with fences of the cluster.
CASE scopes(const float* in, float* out, unsigned* flags, int) {
  const int t = threadIdx.x;
  if (t == 0 && blockIdx.x != 0) {
    if (C == 3) {
      while (*static_cast<volatile unsigned*>(flags) != blockIdx.x) {
      }
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
    } else {
      while (look(flags, C == 1) != blockIdx.x) {
      }
    }
  }
  __syncthreads();
  const float sum = blockIdx.x == 0 ? 0 : out[t];  // found: 1 2 3
  out[t] = sum + in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t != 0) return;
  if (C == 3) {
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    *static_cast<volatile unsigned*>(flags) = blockIdx.x + 1;
  } else {
    pass(flags, blockIdx.x + 1, C == 2);
  }
}
KERNEL(scopes, 0)
KERNEL(scopes, 1)
KERNEL(scopes, 2)
KERNEL(scopes, 3)

// The same between the two blocks of each cluster, where the scope is enough; case 1: that of the block is not.
CASE scopes_near(const float* in, float* out, unsigned* flags, int) {
  const int t = threadIdx.x, pair = blockIdx.x / 2;
  unsigned* const flag = flags + 4 * pair;
  if (t == 0 && blockIdx.x % 2 != 0) {
    while (look(flag, true) != 1) {
    }
  }
  __syncthreads();
  const float sum = blockIdx.x % 2 == 0 ? 0 : out[64 * pair + t];  // found: 1
  out[64 * pair + t] = sum + in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t != 0 || blockIdx.x % 2 != 0) return;
  if (C == 1)
    asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory");
  else
    pass(flag, 1, true);
}
KERNEL(scopes_near, 0)
KERNEL(scopes_near, 1)
