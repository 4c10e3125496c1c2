// Whole kernels whose results a GPU gives bit for bit: no approximate instruction, no contraction (-fmad=false).
// kernels.ptx is made of this file:  (grep '^// form' kernels.cu; nvcc -arch=sm_80 -fmad=false -ptx -o - kernels.cu)
// NVRTC gives the same. Every word of input is 64 bits; of a "normal" one the low half is a float.
//
// form gemm_naive in=normal,normal out=4 grid=5,5 block=8,8 records=1600
// form gemm_tiled in=normal,normal out=4 grid=2,2 block=16,16 records=4096
// form gemm_bf16_mma in=m.bf16x2,m.bf16x2 out=4 grid=1,1 block=128,1 records=2048
// form block_sum in=normal out=4 grid=4,1 block=256,1 records=4096
// form normalise in=f32,normal out=4 grid=8,1 block=128,1 records=1024
// form scan in=s32 out=4 grid=2,1 block=512,1 records=1024
// form math_float in=f32,normal out=16 grid=2,1 block=256,1 records=512
// form math_double in=f64 out=32 grid=1,1 block=256,1 records=256
// form integer_division in=s64,u64,s32 out=24 grid=2,1 block=256,1 records=512
// form collatz in=u32 out=8 grid=2,1 block=256,1 records=512
// form bitonic in=u64 out=8 grid=1,1 block=512,1 records=512
// form histogram in=u32 out=4 grid=1,1 block=512,1 records=512
// (the assembler fuses half_polynomial's multiplications with its additions, which PTX permits: no rounding is named)
// form half_polynomial in=f16x2,f16x2 out=8 grid=1,1 block=512,1 records=512 check=open
// form jagged in=u32,s32 out=4 grid=2,1 block=256,1 records=512
// form calls in=u32,f32 out=4 grid=2,1 block=256,1 records=512
// form wide_switch in=u32,f32 out=4 grid=2,1 block=256,1 records=512
// form last_block in=u32 out=4 grid=4,1 block=256,1 records=1024
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Word {
  float value;
  unsigned high;
};

constexpr unsigned kAll = 0xffffffffu;

extern "C" __global__ void gemm_naive(const Word* in, float* out) {  // 37 x 39 x 33
  const int m = blockIdx.y * 8 + threadIdx.y, n = blockIdx.x * 8 + threadIdx.x;
  if (m >= 37 || n >= 39) return;
  float sum = 0;
  for (int k = 0; k < 33; ++k) sum += in[(m * 33 + k) * 2].value * in[(k * 39 + n) * 2 + 1].value;
  out[m * 39 + n] = sum;
}

extern "C" __global__ void gemm_tiled(const Word* in, float* out) {  // 64 x 64 x 64, 2 x 2 results per thread
  __shared__ float a[16][33], b[16][36];
  float sum[2][2] = {};
  const int tid = threadIdx.y * 16 + threadIdx.x;
  for (int k0 = 0; k0 < 64; k0 += 16) {
    for (int i = tid; i < 16 * 32; i += 256) {
      a[i % 16][i / 16] = in[((blockIdx.y * 32 + i / 16) * 64 + k0 + i % 16) * 2].value;
      b[i / 32][i % 32] = in[((k0 + i / 32) * 64 + blockIdx.x * 32 + i % 32) * 2 + 1].value;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float2 right = *reinterpret_cast<const float2*>(&b[k][threadIdx.x * 2]);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        sum[i][0] = __fmaf_rn(a[k][threadIdx.y * 2 + i], right.x, sum[i][0]);
        sum[i][1] = __fmaf_rn(a[k][threadIdx.y * 2 + i], right.y, sum[i][1]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      out[(blockIdx.y * 32 + threadIdx.y * 2 + i) * 64 + blockIdx.x * 32 + threadIdx.x * 2 + j] = sum[i][j];
}

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

extern "C" __global__ void gemm_bf16_mma(const unsigned long long* in, float* out) {  // four warps, 64 x 32 x 32
  __shared__ __align__(16) unsigned a[64 * 20], b[32 * 20];                           // rows of 32 numbers and padding
  for (int i = threadIdx.x; i < 64 * 16; i += 128)
    a[i / 16 * 20 + i % 16] = static_cast<unsigned>(in[((i * 5 + 32) % 2048) * 2]);
  for (int i = threadIdx.x; i < 32 * 16; i += 128)
    b[i / 16 * 20 + i % 16] = static_cast<unsigned>(in[((i * 3 + 32) % 2048) * 2 + 1]);
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[4][4] = {};
  for (int k = 0; k < 2; ++k) {
    unsigned fa[4], fb[2];
    const unsigned at = shared_address(&a[(warp * 16 + lane % 16) * 20 + k * 8 + lane / 16 * 4]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(at));
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const unsigned bt = shared_address(&b[(n * 8 + lane % 8) * 20 + k * 8 + lane / 8 % 2 * 4]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(bt));
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
          "%2, %3};"
          : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
          : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
  }
  for (int n = 0; n < 4; ++n)
    for (int i = 0; i < 4; ++i) out[(warp * 16 + lane / 4 + i / 2 * 8) * 32 + n * 8 + lane % 4 * 2 + i % 2] = sum[n][i];
}

__device__ float block_reduce(float value) {
  __shared__ float partial[32];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(kAll, value, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(kAll, value, d);
    if (threadIdx.x == 0) partial[0] = value;
  }
  __syncthreads();
  value = partial[0];
  __syncthreads();
  return value;
}

extern "C" __global__ void block_sum(const Word* in, float* out) {
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < 4096; i += 1024) sum += in[i].value;
  const float total = block_reduce(sum);
  out[blockIdx.x * 256 + threadIdx.x] = total - sum;
}

extern "C" __global__ void normalise(const Word* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float x = in[i * 2 + 1].value, odd = in[i * 2].value;
  const float mean = block_reduce(x) / 128, variance = block_reduce((x - mean) * (x - mean)) / 127;
  out[i] = (x - mean) / sqrtf(variance + 1e-5f) + fmaxf(fminf(odd, 1.0f), -1.0f) + rsqrtf(4.0f) * 0 + fmodf(x, 0.3f);
}

extern "C" __global__ void scan(const long long* in, int* out) {
  __shared__ int warps[16];
  const int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32;
  int sum = static_cast<int>(in[i]);
  for (int d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(kAll, sum, d);
    if (lane >= d) sum += below;
  }
  if (lane == 31) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  for (int w = 0; w < threadIdx.x / 32; ++w) sum += warps[w];
  out[i] = sum;
}

extern "C" __global__ void math_float(const Word* in, float4* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float x = in[i * 2].value, y = in[i * 2 + 1].value;
  out[i] = {logf(x), cbrtf(y) * 0 + fmaf(x, y, floorf(y * 7)), sinf(x),
            rintf(x) + ldexpf(y, 13) + static_cast<float>(ilogbf(x))};
}

extern "C" __global__ void math_double(const double* in, double* out) {
  const double x = in[threadIdx.x];
  out[threadIdx.x * 4] = exp(x);
  out[threadIdx.x * 4 + 1] = sin(x);
  out[threadIdx.x * 4 + 2] = log(x);
  out[threadIdx.x * 4 + 3] = x / 3.0 + sqrt(x) + round(x) + nextafter(x, 2.0);
}

extern "C" __global__ void integer_division(const long long* in, long long* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const long long a = in[i * 3] | 1, b = in[i * 3 + 1];
  const int c = static_cast<int>(in[i * 3 + 2]);
  out[i * 3] = b / a + b % a;
  out[i * 3 + 1] = static_cast<long long>(static_cast<unsigned long long>(b) / static_cast<unsigned long long>(a)) ^
                   c / 7 ^ c % 10 << 8;
  out[i * 3 + 2] = (c == 0 ? 0 : static_cast<int>(b) / (c | 1)) +
                   static_cast<long long>(static_cast<unsigned>(b) % (static_cast<unsigned>(c) | 1u)) + __mul64hi(a, b);
}

extern "C" __global__ void collatz(const unsigned long long* in, uint2* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned long long x = (in[i] & 0xffff) + 1;
  unsigned steps = 0, most = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    most = max(most, static_cast<unsigned>(x));
    if (++steps > 200) break;
  }
  out[i] = {steps, most};
}

extern "C" __global__ void bitonic(const unsigned long long* in, unsigned long long* out) {
  __shared__ unsigned long long key[512];
  const unsigned i = threadIdx.x;
  key[i] = in[i];
  for (unsigned k = 2; k <= 512; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const unsigned other = i ^ j;
      if (other > i && (key[i] > key[other]) == ((i & k) == 0)) {
        const unsigned long long swap = key[i];
        key[i] = key[other];
        key[other] = swap;
      }
    }
  __syncthreads();
  out[i] = key[i];
}

extern "C" __global__ void histogram(const unsigned long long* in, unsigned* out) {
  __shared__ unsigned count[64];
  if (threadIdx.x < 64) count[threadIdx.x] = 0;
  __syncthreads();
  const unsigned x = static_cast<unsigned>(in[threadIdx.x]);
  atomicAdd(&count[x % 61], 1);
  atomicXor(&count[61], x);
  atomicMax(&count[62], x);
  atomicAdd(&count[63], __popc(__ballot_sync(kAll, x & 1)));
  __syncthreads();
  out[threadIdx.x] = count[threadIdx.x % 64];
  atomicAdd(&out[threadIdx.x % 7], x);  // of the same thread block: after its own store or another's, so only whole
  __syncthreads();
  if (threadIdx.x < 7) out[threadIdx.x] = 0;
}

extern "C" __global__ void half_polynomial(const __half2* in, float2* out) {
  const __half2 x = in[threadIdx.x * 4], y = in[threadIdx.x * 4 + 2];
  __half2 p = __hfma2(x, y, __float2half2_rn(0.5f));
  p = __hadd2(__hmul2(p, x), y);
  p = __hmax2(p, __hsub2(x, y));
  const __nv_bfloat162 b = __floats2bfloat162_rn(__low2float(p), __high2float(p));
  out[threadIdx.x] = {__low2float(p) - __bfloat162float(b.x),
                      __hlt(p.y, x.y) ? __bfloat162float(b.y) : __half2float(p.y)};
}

extern "C" __global__ void jagged(const unsigned long long* in,
                                  int* out) {  // nested loops, break, continue, early exit
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned a = static_cast<unsigned>(in[i * 2]) % 13;
  int b = static_cast<int>(in[i * 2 + 1]) % 97, sum = 0;
  for (unsigned j = 0; j < a; ++j) {
    if ((b & 7) == 3) {
      b += 5;
      continue;
    }
    for (int k = 0; k < (b & 15); ++k) {
      if (k * static_cast<int>(j) == 21) break;
      sum += __popc(__activemask()) * 0 + k * b;
      if (sum > 100000) {
        out[i] = -sum;
        return;
      }
    }
    b = b * 3 + 1;
  }
  out[i] = sum + b;
}

__device__ __noinline__ unsigned rotate_mix(unsigned x, unsigned depth) {
  unsigned local[5];
  for (unsigned k = 0; k < 5; ++k) local[k] = (x << (k + depth)) | x >> 3;
  return local[x % 5] ^ local[(x >> 8) % 5];
}
__device__ __noinline__ float4 four(float x, unsigned n) {
  return {x, x * static_cast<float>(n), x + 1, static_cast<float>(n)};
}

extern "C" __global__ void calls(const unsigned long long* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned x = static_cast<unsigned>(in[i * 2]);
  if (x & 4) x = rotate_mix(x, 1);
  x = rotate_mix(x, x & 3);
  const float4 v = four(__uint_as_float(static_cast<unsigned>(in[i * 2 + 1])), x & 0xff);
  out[i] = v.x + v.y * v.z - v.w + static_cast<float>(x >> 20);
}

extern "C" __global__ void wide_switch(const unsigned long long* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned x = static_cast<unsigned>(in[i * 2]);
  float y = __uint_as_float(static_cast<unsigned>(in[i * 2 + 1]));
  switch (x % 11) {
    case 0:
      y = y + 1;
      break;
    case 1:
      y = y * 3;
      [[fallthrough]];
    case 2:
      y = -y;
      break;
    case 3:
      y = floorf(y);
      break;
    case 4:
      y = fabsf(y) - 2;
      break;
    case 5:
      y = __int2float_rz(static_cast<int>(x));
      break;
    case 6:
      y = y / 3;
      break;
    case 7:
      y = sqrtf(y);
      [[fallthrough]];
    case 8:
      y += 0.25f;
      break;
    case 9:
      y = copysignf(2, y);
      break;
    default:
      y = static_cast<float>(x);
  }
  out[i] = y;
}

__device__ unsigned tickets;

extern "C" __global__ void last_block(const unsigned long long* in,
                                      unsigned* out) {  // the block that comes last adds up
  __shared__ bool last;
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = static_cast<unsigned>(in[i]) * 3;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  unsigned sum = 0;
  for (int j = threadIdx.x; j < 1024; j += 256) sum += static_cast<volatile unsigned*>(out)[j];
  __syncthreads();
  out[threadIdx.x] = sum;
}
