// Rung 14, split_k: SPLIT blocks share the K of one tile of D.
//
// Idea      a product with few tiles and a long K (128 x 128 x 65536) keeps one block busy and 131 multiprocessors idle.
//           Here block s of a tile multiplies the s-th part of K by mma_pipe's loop and writes its fp32 sums to a
//           workspace; a second launch adds the SPLIT sums of each element in order. The order is always the same, so
//           that results are the same bit for bit from run to run, which atomic additions would not give.
// Parameters as mma_pipe; SPLIT parts of K.
// Expects   bf16, fp16 or tf32; any M, N, K, layout, alignment. Worth it where tiles are fewer than multiprocessors.
// Operations in addition to mma_pipe: SPLIT M N sums written and read again, 8 bytes each, through L2.
// Lacks     a schedule that splits only the last wave (stream-K); a reduction without a second launch.
// Measured on H200: 128 x 128 x 65536 bf16: 18.8 us, 114 TFLOP/s; 0.87 of cuBLASLt 13.1.
#include "mma_align.cuh"
#include "mma_epilogue.cuh"

extern __shared__ float4 shared[];  // as in mma_pipe

struct WritePart {
  Sum* part;  // M x N sums
  int N;
  __device__ __forceinline__ void operator()(int m, int n, Sum sum) const {
    part[static_cast<long long>(m) * N + n] = sum;
  }
  __device__ __forceinline__ void operator()(int m, int n, const Vector<Sum, 4>& four) const {
    *reinterpret_cast<Vector<Sum, 4>*>(part + static_cast<long long>(m) * N + n) = four;
  }
};

/// Block b: tile b / SPLIT, part b % SPLIT of its K.
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
multiply_part(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const DTYPE* __restrict__ aligned_A,
              const DTYPE* __restrict__ aligned_B, Sum* __restrict__ parts, int M, int N, int K, int stride_a,
              int stride_b) {
  const int tiles_m = (M - 1) / BM + 1;
  const int tile = static_cast<int>(blockIdx.x) / SPLIT;
  const int part = static_cast<int>(blockIdx.x) % SPLIT;
  const int m0 = tile % tiles_m * BM;
  const int n0 = tile / tiles_m * BN;
  // Whole tiles of k to each part; the last ones may get less, or nothing and write zeros.
  const long long all_k = static_cast<long long>(K) + FRONT;
  const long long part_k = (all_k + SPLIT * BK - 1) / (SPLIT * BK) * BK;
  const long long rest = all_k - part * part_k;
  const int length = static_cast<int>(rest < 0 ? 0 : rest < part_k ? rest : part_k);
  const int k0 = rest < 0 ? 0 : static_cast<int>(part * part_k);

  const WarpPlace warp;
  Sums sums = {};
  A = of_batch(ALIGNED_A ? A : aligned_A, static_cast<long long>(TRANS_A ? K : M) * stride_a);
  B = of_batch(ALIGNED_B ? B : aligned_B, static_cast<long long>(TRANS_B ? N : K) * stride_b);
  parts = of_batch(parts, SPLIT * static_cast<long long>(M) * N);
  const OperandA a(A, m0, M, k0 - (TRANS_A ? FRONT : 0), stride_a);
  const OperandB b(B, n0, N, k0 - (TRANS_B ? 0 : FRONT), stride_b);
  multiply(sums, a, b, warp, shared_address(shared), length, part == 0 ? FRONT : 0);
  write_sums<FOURS_D != 0>(sums, warp, shared, m0, n0, M, N,
                           WritePart{parts + static_cast<long long>(part) * M * N, N});
}

/// D = alpha (sum of the parts) + beta C, one element per thread.
extern "C" __global__ void __launch_bounds__(128)
add_parts(const Sum* __restrict__ parts, const Out* __restrict__ bias, const Out* __restrict__ C, Out* __restrict__ D,
          int M, int N, float alpha, float beta) {
  const long long elements = static_cast<long long>(M) * N;
  const long long element = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element >= elements) return;
  parts = of_batch(parts, SPLIT * elements);
  Sum sum = 0;
#pragma unroll 32
  for (int part = 0; part < SPLIT; ++part) sum += parts[part * elements + element];
  Epilogue(bias, C, D, M, N, alpha, beta)(static_cast<int>(element / N), static_cast<int>(element % N), sum);
}
