// Warp instructions and atomics of all kinds and scopes. warp_sm90.ptx: --gpu-architecture=sm_90.
extern "C" __global__ void warps(int* a, unsigned* u, float* f, long long* l, unsigned long long* ul, double* d,
                                 int n) {
  int i = threadIdx.x;
  int x = a[i];
  unsigned m = __activemask();
  a[1] = __shfl_sync(m, x, n);
  a[2] = __shfl_up_sync(m, x, n);
  a[3] = __shfl_down_sync(m, x, 1, 16);
  a[4] = __shfl_xor_sync(~0u, x, 16);
  l[0] = __shfl_sync(m, l[1], 2);
  f[1] = __shfl_xor_sync(~0u, f[2], 4, 8);
  u[1] = __ballot_sync(m, x > n);
  a[5] = __any_sync(m, x > n);
  a[6] = __all_sync(m, x > n);
  a[7] = __uni_sync(m, x > n);
  u[2] = __match_any_sync(m, x);
  int p;
  u[3] = __match_all_sync(m, x, &p);
  a[8] = p;
  u[4] = __match_any_sync(m, l[3]);
  u[5] = __match_all_sync(m, l[4], &p);
  a[9] = p;
#if __CUDA_ARCH__ >= 800
  a[10] = __reduce_add_sync(m, x);
  a[11] = __reduce_min_sync(m, x);
  u[6] = __reduce_max_sync(m, (unsigned)x);
  u[7] = __reduce_and_sync(m, x);
  u[8] = __reduce_or_sync(m, x);
  u[9] = __reduce_xor_sync(m, x);
#endif
  int lane;
  int pr;
  asm volatile("{ .reg .pred p; shfl.sync.idx.b32 %0|p, %2, %3, 31, -1; selp.u32 %1, 1, 0, p; }"
               : "=r"(lane), "=r"(pr)
               : "r"(x), "r"(n));
  a[12] = lane + pr;
#if __CUDA_ARCH__ >= 900
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1,1,0,p; }" : "=r"(lane), "=r"(pr));
  a[13] = lane + pr;
#endif
}
extern "C" __global__ void atomics(int* a, unsigned* u, float* f, unsigned long long* ul, double* d, unsigned short* us,
                                   long long* l, int n) {
  __shared__ int s[32];
  __shared__ unsigned long long sl[4];
  __shared__ float sf[4];
  a[0] = atomicAdd(a + 1, n);
  atomicSub(a + 1, n);
  a[2] = atomicExch(a + 3, n);
  f[0] = atomicExch(f + 1, 2.f);
  a[4] = atomicMin(a + 5, n);
  u[0] = atomicMax(u + 1, n);
  u[2] = atomicInc(u + 3, n);
  u[4] = atomicDec(u + 5, n);
  a[6] = atomicCAS(a + 7, n, 3);
  a[8] = atomicAnd(a + 9, n);
  a[10] = atomicOr(a + 11, n);
  a[12] = atomicXor(a + 13, n);
  f[2] = atomicAdd(f + 3, 1.f);
  atomicAdd(f + 4, 2.f);
  d[0] = atomicAdd(d + 1, 2.0);
  atomicAdd(d + 2, 1.0);
  ul[0] = atomicAdd(ul + 1, n);
  ul[2] = atomicCAS(ul + 3, 1ull, 2ull);
  atomicMax(ul + 4, 5ull);
  atomicMin(l + 5, (long long)n);
  atomicExch(ul + 7, 1ull);
  atomicAnd(ul + 8, 7ull);
  us[0] = atomicCAS(us + 1, (unsigned short)1, (unsigned short)n);
  atomicAdd_block(a + 20, 1);
  atomicAdd_system(a + 21, 1);
  a[22] = atomicCAS_block(a + 23, 1, 2);
  atomicAdd(s + n, 1);
  s[0] = atomicExch(s + 1, n);
  atomicMax(s + 3, n);
  s[4] = atomicCAS(s + 5, 1, 2);
  sl[0] = atomicAdd(sl + 1, 3ull);
  atomicAdd(sf, 1.f);
  sf[1] = atomicAdd(sf + 2, 1.f);
  atomicOr(s + 7, 1);
  __syncthreads();
  a[30] = s[n] + sl[n] + sf[n];
  unsigned v;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(u), "r"(n) : "memory");
  u[9] = v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(u));
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(u), "r"(v));
  asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(v) : "l"(u));
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(u), "r"(v));
  asm volatile("fence.acq_rel.gpu;");
  asm volatile("fence.sc.sys;");
  asm volatile("red.relaxed.cta.shared.add.u32 [%0], %1;" ::"r"(0), "r"(v));
  asm volatile("atom.global.cta.exch.b64 %0, [%1], %2;" : "=l"(ul[9]) : "l"(ul), "l"(ul[1]));
#if __CUDA_ARCH__ >= 900
  float4 w = *(float4*)f;
  w = atomicAdd((float4*)f + 4, w);
  *(float4*)(f + 64) = w;
  atomicAdd((float2*)f + 9, make_float2(1, 2));
  asm volatile("{.reg .b128 q; mov.b128 q, {%0,%1}; atom.global.exch.b128 q, [%2], q; mov.b128 {%0,%1}, q;}"
               : "+l"(ul[10]), "+l"(ul[11])
               : "l"(ul));
#endif
}
