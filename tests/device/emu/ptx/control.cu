// Jump tables, local arrays, shared and constant memory, inline PTX with scopes and cache hints.
// control_sm80.ptx: --gpu-architecture=sm_80.
extern "C" __global__ void switches(int* p, int n) {
  int r = 0;
  switch (p[threadIdx.x]) {
    case 0:
      r = p[5] * n;
      break;
    case 1:
      r = p[9] / n;
    case 2:
      r += 7;
      p[1] = 3;
      break;
    case 3:
      r = p[n];
      break;
    case 4:
      r = n * n * n;
      p[8] = 9;
      break;
    case 5:
      r = p[3] ^ n;
      break;
    case 6:
      r = __popc(n);
      break;
    case 7:
      p[7] = 8;
      return;
    case 9:
      r = p[8] % n;
      break;
    default:
      r = -1;
  }
  p[threadIdx.x] = r;
}
extern "C" __global__ void locals(float* f, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = f[i];
  int k = n;
  for (int i = 0; i < 100; ++i) {
    a[k & 63] += a[(k * 7) & 63];
    k = k * 3 + i;
  }
  char c[16];
  for (int i = 0; i < 16; ++i) c[i] = k >> i;
  f[threadIdx.x] = a[n & 63] + c[n & 15];
  double2 v[4];
  for (int i = 0; i < 4; ++i) v[i] = make_double2(f[i], n);
  f[1] = v[n & 3].x;
}
extern "C" __global__ void __launch_bounds__(256, 2) shareds(float* f, const __grid_constant__ int n) {
  __shared__ float s[32][33];
  __shared__ struct {
    int a;
    double b;
    char c[5];
  } t;
  extern __shared__ __align__(128) unsigned char dyn[];
  int x = threadIdx.x;
  s[x & 31][x >> 5] = f[x];
  if (x == 0) {
    t.a = n;
    t.b = f[3];
    t.c[n % 5] = 1;
  }
  ((float*)dyn)[x] = f[x + 1];
  __syncthreads();
  f[x] = s[x >> 5][x & 31] + t.a + t.b + t.c[2] + ((float*)dyn)[x ^ 1];
  int any = __syncthreads_or(x > n);
  int all = __syncthreads_and(x > n);
  int cnt = __syncthreads_count(x > n);
  f[9] = any + all + cnt;
  __syncwarp();
  __syncwarp(0xff);
  asm volatile("bar.sync 1, 64;");
  asm volatile("bar.arrive 2, 64;");
  asm volatile("barrier.sync.aligned %0, %1;" ::"r"(n), "r"(64));
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(20);
}
struct P {
  int a;
  float b[7];
  long long c;
  char d[3];
};
__constant__ float coeff[4] = {1.5f, -2.f, 3e-9f, 0};
__constant__ int table[64];
__device__ int counter;
__device__ double big[1000];
__device__ const char* names[3] = {"abc", "d", 0};
__device__ int* where = &counter;
__device__ P init = {1, {2, 3}, 4, {5, 6}};
__device__ __managed__ int man = 7;
__device__ bool flagb = true;
extern "C" __global__ void memories(const P p, const __grid_constant__ P q, float* f, volatile int* v,
                                    const float* __restrict__ r, int n) {
  f[0] = p.b[n] + q.b[n] + q.c + coeff[n & 3] + table[n] + big[n];
  f[1] = __ldg(r + n);
  f[2] = __ldcg(r + 1);
  f[3] = __ldca(r + 2);
  f[4] = __ldcs(r + 3);
  f[5] = __ldlu(r + 4);
  f[6] = __ldcv(r + 5);
  __stcg(f + 7, 1.f);
  __stcs(f + 8, 2.f);
  __stwb(f + 9, 1.f);
  __stwt(f + 10, 1.f);
  v[0] = v[1];
  f[11] = names[n][0];
  *where = 3;
  f[12] = init.b[n] + man + flagb;
  const P* pp = &q;
  f[13] = pp->d[n];
  f[14] = counter;
  unsigned s;
  asm volatile("ld.global.L1::no_allocate.L2::256B.f32 %0, [%1];" : "=f"(f[15]) : "l"(f));
  unsigned long long pol;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol));
  asm volatile("ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;"
               : "=f"(f[16]), "=f"(f[17]), "=f"(f[18]), "=f"(f[19])
               : "l"(f), "l"(pol));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(f), "f"(f[1]), "l"(pol));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(f));
  asm volatile("prefetchu.L1 [%0];" ::"l"(f));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(f));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(f));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.nc.f32 %0, [%2]; LAB: @!p bra LAB2; bra LAB; LAB2: }"
               : "=f"(f[20])
               : "r"(n), "l"(f));
  asm volatile("{ .reg .pred p; LAB: setp.ne.b32 p, %1, 0; @p bra LAB; mov.u32 %0, %%smid; }" : "=r"(s) : "r"(n));
  f[21] = s;
  f[22] = clock();
  f[23] = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(pol));
  f[24] = pol;
  asm("mov.u32 %0, %%laneid;" : "=r"(s));
  f[25] = s;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(s));
  f[26] = s;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(s));
  f[27] = s;
  asm("mov.u32 %0, WARP_SZ;" : "=r"(s));
  f[28] = s + blockIdx.y + gridDim.z + threadIdx.z;
  f[29] = __isShared(f) + __isGlobal(f) + __isLocal(f) + __isConstant(f);
  f[30] = __cvta_generic_to_shared(f);
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(s));
  f[31] = s;
}
