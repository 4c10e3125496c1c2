// Rung 15, gemv: up to 16 rows of A against a B that is read once, as fast as memory gives it.
//
// Idea      with M rows a byte of B is good for M multiply-adds (bf16): below about 16 rows memory is the limit, tiles
//           are useless, and all that counts is to keep 40 KiB and more per multiprocessor on their way: 16-byte loads
//           past L1, many per thread before the first is used. All M rows are multiplied by each number of B while it
//           is in a register; A is small and comes from L1.
//           k contiguous in B (layouts .t)   a warp's lanes walk along ROWS columns of D together; each lane has
//                                            its own chunks of k, partial sums are added across lanes by shuffles
//           n contiguous (layouts .n)        each lane has a chunk of neighbouring columns; LANES lanes side by side
//                                            read LANES x 16 bytes of a row of B, the others other rows
//           In both, WARPS warps of a block share the k of the same columns and add partial sums in shared memory.
// Parameters WARPS; ROWS columns of D per warp (.t) or LANES lanes side by side (.n); UNROLL loads on their way per
//           column (.t) or thread (.n).
// Expects   M <= 16; any N, K, layout; rows of B that are no multiple of 16 bytes are read in smaller chunks.
// Operations one read of B from memory; M reads of A per ROWS (.t) or VEC (.n) numbers of B, from L1.
// Lacks     loads on their way: ptxas puts each of the UNROLL loads just before its arithmetic, so that 3 or 4 are
//           (next rung); tensor cores for M above 4, where arithmetic and conversions begin to count.
// Measured on H200: 1 x 4096 x 4096 bf16: nn 14.8 us (2.27 TB/s), 0.97 of cuBLASLt 13.1; nt 12.5 us (2.68 TB/s),
//   1.17 of it, WARPS=8 ROWS=2 LANES=4 UNROLL=8. 8 x 8192 x 8192 nn: 51.0 us, 0.69.
#include "common/stream.cuh"
#include "epilogue.cuh"

constexpr int kThreads = WARPS * 32;

/// VEC numbers of B in a register or four.
struct Chunk {
  static constexpr int kBytes = VEC * DTYPE_BYTES;
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;
  unsigned words[kWords];

  __device__ __forceinline__ void load(const DTYPE* from) {
    if constexpr (kBytes == 16) {
      const uint4 four = load_once(from);
      words[0] = four.x;
      words[1] = four.y;
      words[2] = four.z;
      words[3] = four.w;
    } else if constexpr (kBytes == 8) {
      const uint2 two = *reinterpret_cast<const uint2*>(from);
      words[0] = two.x;
      words[1] = two.y;
    } else if constexpr (kBytes == 4) {
      words[0] = *reinterpret_cast<const unsigned*>(from);
    } else {
      words[0] = *reinterpret_cast<const unsigned short*>(from);
    }
  }
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = 0;
  }
  __device__ __forceinline__ float get(int e) const {
    if constexpr (DTYPE_BYTES == 4)
      return float_from_bits(words[e]);
    else
      return to_float(DTYPE{static_cast<unsigned short>(words[e / 2] >> (e % 2 * 16))});
  }
};

/// x[m][e] = A(m, k + e) for VEC numbers that exist.
__device__ __forceinline__ void load_a(float (&x)[M_ROWS][VEC], const DTYPE* A, int k, int K) {
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m) {
    if (TRANS_A && M_ROWS > 1) {
#pragma unroll
      for (int e = 0; e < VEC; ++e) x[m][e] = to_float(A[static_cast<long long>(k + e) * M_ROWS + m]);
    } else {
      Vector<DTYPE, VEC> chunk = *reinterpret_cast<const Vector<DTYPE, VEC>*>(A + static_cast<long long>(m) * K + k);
#pragma unroll
      for (int e = 0; e < VEC; ++e) x[m][e] = to_float(chunk.at[e]);
    }
  }
}

/// The sum over the lanes whose numbers differ in the bits of `lanes`; every one of them gets it.
__device__ __forceinline__ float add_lanes(float sum, int lanes) {
#pragma unroll
  for (int bit = 1; bit < 32; bit *= 2)
    if ((lanes & bit) != 0) sum += __shfl_xor_sync(0xffffffffU, sum, bit);
  return sum;
}

#if TRANS_B
constexpr int kColumns = ROWS;  // of D, per block

/// COUNT chunks of each row, kThreads chunks apart: first all loads, then all multiplications.
template <int COUNT>
__device__ __forceinline__ void add_chunks(float (&accumulators)[M_ROWS][ROWS], const DTYPE* A,
                                           const DTYPE* const (&rows)[ROWS], int k0, int K) {
  constexpr int kStride = kThreads * VEC;
  Chunk chunks[COUNT][ROWS];
#pragma unroll
  for (int u = 0; u < COUNT; ++u)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) chunks[u][r].load(rows[r] + k0 + u * kStride);
#pragma unroll
  for (int u = 0; u < COUNT; ++u) {
    float x[M_ROWS][VEC];
    load_a(x, A, k0 + u * kStride, K);
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
      for (int e = 0; e < VEC; ++e) {
        const float b = chunks[u][r].get(e);
#pragma unroll
        for (int m = 0; m < M_ROWS; ++m) accumulators[m][r] += x[m][e] * b;
      }
  }
}

/// The block's threads walk along ROWS rows of B together, VEC k each at a time.
__device__ __forceinline__ void accumulate(float (&accumulators)[M_ROWS][ROWS], const DTYPE* A, const DTYPE* B, int n0,
                                           int N, int K) {
  const DTYPE* rows[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) rows[r] = B + static_cast<long long>(n0 + r < N ? n0 + r : N - 1) * K;
  constexpr int kStride = kThreads * VEC;
  const int mine = static_cast<int>(threadIdx.x) * VEC;
  int k0 = 0;
#pragma unroll 1
  for (; K - k0 >= kStride * UNROLL; k0 += kStride * UNROLL) add_chunks<UNROLL>(accumulators, A, rows, k0 + mine, K);
#pragma unroll 1
  for (; K - k0 > mine; k0 += kStride) {  // VEC divides K: a chunk exists wholly or not at all
    add_chunks<1>(accumulators, A, rows, k0 + mine, K);
    if (K - k0 <= kStride) break;
  }
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) accumulators[m][r] = add_lanes(accumulators[m][r], 31);
}
constexpr int kAccumulators = ROWS;  // of a lane, per row of D
__device__ __forceinline__ bool holds_accumulators(int lane) {
  return lane == 0;
}  // the lanes whose accumulators are the warp's
__device__ __forceinline__ int column_of(int) {
  return 0;
}  // of a lane's first sum in the block's
#else
constexpr int kColumns = LANES * VEC;
constexpr int kGroups = kThreads / LANES;  // rows of B that a block reads at once

/// COUNT neighbouring k: first all loads, then all multiplications.
template <int COUNT>
__device__ __forceinline__ void add_chunks(float (&accumulators)[M_ROWS][VEC], const DTYPE* A, const DTYPE* column,
                                           int k0, int N, int K) {
  Chunk chunks[COUNT];
#pragma unroll
  for (int u = 0; u < COUNT; ++u) chunks[u].load(column + static_cast<long long>(k0 + u) * N);
#pragma unroll
  for (int u = 0; u < COUNT; ++u)
#pragma unroll
    for (int m = 0; m < M_ROWS; ++m) {
      const float x = to_float(TRANS_A ? A[static_cast<long long>(k0 + u) * M_ROWS + m]
                                       : A[static_cast<long long>(m) * K + k0 + u]);
#pragma unroll
      for (int e = 0; e < VEC; ++e) accumulators[m][e] += x * chunks[u].get(e);
    }
}

/// Lane l has VEC of the block's columns, from l % LANES * VEC on, and the k of group g: runs of UNROLL.
__device__ __forceinline__ void accumulate(float (&accumulators)[M_ROWS][VEC], const DTYPE* A, const DTYPE* B, int n0,
                                           int N, int K) {
  const int group = static_cast<int>(threadIdx.x) / LANES;
  const int column = n0 + static_cast<int>(threadIdx.x) % LANES * VEC;
  const DTYPE* mine = B + (column < N ? column : N - VEC);  // VEC divides N
  constexpr int kStride = kGroups * UNROLL;
  int k0 = 0;
#pragma unroll 1
  for (; K - k0 >= kStride; k0 += kStride) add_chunks<UNROLL>(accumulators, A, mine, k0 + group * UNROLL, N, K);
#pragma unroll 1
  for (k0 += group; k0 < K; k0 += kGroups) {
    add_chunks<1>(accumulators, A, mine, k0, N, K);
    if (K - k0 <= kGroups) break;
  }
#pragma unroll
  for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
    for (int e = 0; e < VEC; ++e) accumulators[m][e] = add_lanes(accumulators[m][e], 31 & ~(LANES - 1));
}
constexpr int kAccumulators = VEC;
__device__ __forceinline__ bool holds_accumulators(int lane) {
  return lane < LANES;
}
__device__ __forceinline__ int column_of(int lane) {
  return lane * VEC;
}
#endif

__shared__ float of_warps[WARPS][M_ROWS][kColumns];

extern "C" __global__ void __launch_bounds__(kThreads)
    gemv(const DTYPE* __restrict__ A, const DTYPE* __restrict__ B, const Added* __restrict__ bias,
         const Added* __restrict__ C, Out* __restrict__ D, int N, int K, float alpha, float beta SCALE_PARAMETERS) {
  A = of_batch(A, static_cast<long long>(M_ROWS) * K);
  B = of_batch(B, static_cast<long long>(K) * N);
  const int n0 = static_cast<int>(blockIdx.x) * kColumns;
  float accumulators[M_ROWS][kAccumulators] = {};
  accumulate(accumulators, A, B, n0, N, K);

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (holds_accumulators(lane)) {
#pragma unroll
    for (int m = 0; m < M_ROWS; ++m)
#pragma unroll
      for (int e = 0; e < kAccumulators; ++e) of_warps[warp][m][column_of(lane) + e] = accumulators[m][e];
  }
  __syncthreads();
  const Epilogue epilogue(bias, C, D, M_ROWS, N, alpha, beta, GIVEN_SCALES);
  for (int i = static_cast<int>(threadIdx.x); i < M_ROWS * kColumns; i += kThreads) {
    const int m = i / kColumns;
    const int column = i % kColumns;
    float sum = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; ++w) sum += of_warps[w][m][column];
    if (n0 + column < N) epilogue(m, n0 + column, sum);
  }
}
