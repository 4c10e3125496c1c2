// wmma, mma.sync, ldmatrix, cp.async. tensor_sm90.ptx: --gpu-architecture=sm_90 -I.../cuda/include.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma_half(const half* a, const half* b, float* c, half* h) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
  wmma::load_matrix_sync(fh, h, 16, wmma::mem_col_major);
  wmma::mma_sync(fh, fa, fb, fh);
  wmma::store_matrix_sync(h, fh, 16, wmma::mem_col_major);
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> ga;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> gb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> gc;
  __shared__ half sh[512];
  wmma::load_matrix_sync(ga, sh, 32);
  wmma::load_matrix_sync(gb, b, 8);
  wmma::load_matrix_sync(gc, c, 8, wmma::mem_row_major);
  wmma::mma_sync(gc, ga, gb, gc);
  wmma::store_matrix_sync(c, gc, 8, wmma::mem_row_major);
}
#if __CUDA_ARCH__ >= 720
extern "C" __global__ void wmma_int(const signed char* a, const signed char* b, int* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::fill_fragment(fc, 0);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc, true);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> ha;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> hb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> hc;
  wmma::fill_fragment(hc, 0);
  wmma::load_matrix_sync(ha, a, 32);
  wmma::load_matrix_sync(hb, b, 32);
  wmma::mma_sync(hc, ha, hb, hc);
  wmma::store_matrix_sync(c, hc, 8, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> ba;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> bb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> bc;
  wmma::fill_fragment(bc, 0);
  wmma::load_matrix_sync(ba, a, 128);
  wmma::load_matrix_sync(bb, b, 128);
  wmma::bmma_sync(bc, ba, bb, bc);
  wmma::store_matrix_sync(c, bc, 8, wmma::mem_row_major);
}
#endif
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void wmma_more(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, double* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> tb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
  wmma::load_matrix_sync(ta, c, 8);
  wmma::load_matrix_sync(tb, c, 8);
  for (int i = 0; i < ta.num_elements; ++i) ta.x[i] = wmma::__float_to_tf32(ta.x[i]);
  wmma::fill_fragment(tc, 0.f);
  wmma::mma_sync(tc, ta, tb, tc);
  wmma::store_matrix_sync(c, tc, 16, wmma::mem_col_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
  wmma::fill_fragment(dc, 0.);
  wmma::load_matrix_sync(da, d, 4);
  wmma::load_matrix_sync(db, d, 4);
  wmma::mma_sync(dc, da, db, dc);
  wmma::store_matrix_sync(d, dc, 8, wmma::mem_row_major);
}
extern "C" __global__ void mmas(unsigned* u, float* f, double* d, int* s) {
  unsigned a0 = u[0], a1 = u[1], a2 = u[2], a3 = u[3], b0 = u[4], b1 = u[5];
  float c0 = f[0], c1 = f[1], c2 = f[2], c3 = f[3];
  int i0 = s[0], i1 = s[1], i2 = s[2], i3 = s[3];
  double x = d[0], y = d[1], z0 = d[2], z1 = d[3];
  unsigned h0 = u[6], h1 = u[7];
#define M4(op)                                                             \
  asm volatile(op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)                    \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define M2(op)                                                    \
  asm volatile(op " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
               : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)           \
               : "r"(a0), "r"(a1), "r"(b0))
#define I4(op)                                                             \
  asm volatile(op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3)                    \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define I1(op) asm volatile(op " {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(i0), "+r"(i1) : "r"(a0), "r"(b0))
  M4("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  M4("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  M4("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  M2("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32");
  M2("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32");
  M2("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32");
  I4("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
  I4("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32");
  I4("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32");
  I4("mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32");
  I4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc");
  I4("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc");
  I1("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32");
  I1("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32");
  I1("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc");
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(z0), "+d"(z1)
               : "d"(x), "d"(y));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(h0), "+r"(h1)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#if __CUDA_ARCH__ >= 890
  M4("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32");
  M4("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32");
#endif
  __shared__ uint4 sh[64];
  unsigned p = __cvta_generic_to_shared(sh);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
               : "r"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0,%1}, [%2+16];" : "=r"(b0), "=r"(b1) : "r"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(h0) : "r"(p));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(p), "r"(a0), "r"(a1), "r"(a2),
               "r"(a3));
#endif
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(h1) : "r"(h0));
  u[0] = a0 + a1 + a2 + a3 + b0 + b1 + h0 + h1;
  f[0] = c0 + c1 + c2 + c3;
  d[0] = z0 + z1;
  s[0] = i0 + i1 + i2 + i3;
}
extern "C" __global__ void copies(float4* g, int n) {
  extern __shared__ float4 sm[];
  unsigned p = __cvta_generic_to_shared(sm);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(p), "l"(g));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(p + 16), "l"(g));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(p), "l"(g), "r"(n));
  asm volatile("cp.async.ca.shared::cta.global.L2::256B [%0+64], [%1+32], 8;" ::"r"(p), "l"(g));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  g[1] = sm[n];
  unsigned long long pol;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(pol));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(p), "l"(g), "l"(pol));
  asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(p),
               "l"(g), "r"(n));
}
#endif
