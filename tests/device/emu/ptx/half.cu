// half2, bf16 and fp8 arithmetic, conversions and atomics. half_sm90.ptx: --gpu-architecture=sm_90 -I.../cuda/include.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void half_ops(__half2* p, __half* q, float* f, int n) {
  int i = threadIdx.x;
  __half2 a = p[i], b = p[i + 1];
  a = __hfma2(a, b, __hadd2(a, b));
  a = __hmax2(a, b);
  a = __hmin2(a, h2exp(b));
  a = h2sqrt(a);
  a = __h2div(a, b);
  a = h2rcp(a);
  a = h2log(a);
  a = h2sin(a);
  a = __habs2(a);
  a = __hneg2(a);
  __half c = q[i];
  c = hexp(c);
  c = hlog(c);
  c = hsqrt(c);
  c = hrsqrt(c);
  c = __hdiv(c, q[i + 1]);
  c = htanh(c);
  if (__hgt(c, q[3])) c = __hmul(c, c);
  if (__hbeq2(a, b)) c = __hsub(c, q[7]);
  unsigned m = __hgt2_mask(a, b);
  f[i + 3] = __uint_as_float(m);
  q[i] = c;
  p[i] = a;
  f[i] = __half2float(c);
  f[i + 1] = __low2float(a);
  q[i + 9] = __float2half_rz(f[7]);
  q[i + 10] = __int2half_rn(n);
  f[9] = __half2int_rz(c);
  q[i + 11] = __ushort2half_rn(n);
  f[17] = __half2ull_rn(c);
  c = __hfma_relu(c, c, c);
  q[33] = c;
  a = __hfma2_sat(a, b, a);
  p[44] = a;
  q[77] = hceil(c);
  q[78] = hrint(c);
  q[79] = htrunc(c);
  q[80] = __hmax_nan(c, q[3]);
  q[81] = __double2half(double(f[1]));
}
extern "C" __global__ void bf_ops(__nv_bfloat162* p, __nv_bfloat16* q, float* f, int n) {
  int i = threadIdx.x;
  __nv_bfloat162 a = p[i], b = p[i + 1];
  a = __hfma2(a, b, __hadd2(a, b));
  a = __hmax2(a, b);
  a = __hmin2(a, h2exp(b));
  a = h2sqrt(a);
  a = __h2div(a, b);
  a = __habs2(a);
  a = __hneg2(a);
  __nv_bfloat16 c = q[i];
  c = hexp(c);
  c = hsqrt(c);
  c = __hdiv(c, q[i + 1]);
  c = htanh(c);
  if (__hgt(c, q[3])) c = __hmul(c, c);
  if (__hbeq2(a, b)) c = __hsub(c, q[7]);
  q[i] = c;
  p[i] = a;
  f[i] = __bfloat162float(c);
  q[i + 9] = __float2bfloat16_rz(f[7]);
  q[i + 10] = __int2bfloat16_rn(n);
  f[9] = __bfloat162int_rz(c);
  p[n] = __floats2bfloat162_rn(f[0], f[1]);
  c = __hfma_relu(c, c, c);
  q[5] = c;
}
extern "C" __global__ void fp8_ops(__nv_fp8_e4m3* p, __nv_fp8x4_e5m2* q, float* f, float4* g) {
  int i = threadIdx.x;
  f[i] = float(p[i]);
  p[i + 1] = __nv_fp8_e4m3(f[i + 1]);
  q[i] = __nv_fp8x4_e5m2(g[i]);
}
extern "C" __global__ void half_atomics(__half2* p, __half* q, __nv_bfloat162* r, __nv_bfloat16* s) {
  atomicAdd(p, p[1]);
  atomicAdd(q, q[1]);
  atomicAdd(r, r[1]);
  atomicAdd(s, s[1]);
  q[4] = atomicAdd(q + 3, q[2]);
  q[5] = __shfl_xor_sync(~0u, q[6], 1);
  p[9] = __ldg(p + 9);
}
