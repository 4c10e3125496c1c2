// Rung 1, packets: neighbouring threads share a group, UNROLL packets of each in flight.
//
// Idea      a thread has VEC neighbours of a row, GROUP / VEC threads a group: its largest magnitude takes a few shuffles,
//           numbers are read once and stay in registers as they came. The codes of 8 neighbours are one word, and cost
//           few integer instructions, of which an SM has half as many as of fp32 ones (common/elementwise/e2m1.cuh). Of nvfp4 a
//           launch before it finds the largest magnitude of everything: a block's meet in registers and shared memory
//           before one atomic (of integers, so that any order gives the same). The second launch goes backwards through
//           the rows: what the first read last is still in the L2 cache.
// Parameters LANES threads a row, ROWS rows a block, VEC elements an access, UNROLL accesses in flight.
// Expects   rows of a multiple of VEC elements; X and Q may have leading dimensions of their own.
// Gained    over naive: every access is coalesced, and X is read once (of nvfp4 twice).
// Lacks     of nvfp4 one read: a scale T known beforehand (of the step before) needs no first launch. On sm_100 codes are one
//           instruction.
// Measured  not measured
#include "codes.cuh"
#include "common/rows/row_chunk.cuh"
#include "common/rows/row_reduce.cuh"

using Chunk = RowChunk<DTYPE, VEC>;

/// Where a thread's UNROLL chunks lie: LANES apart, of one row.
struct Share {
  long long row;
  int first, chunks;  ///< no chunks of a row that is not there
};
__device__ __forceinline__ Share share_of(unsigned block, int M, int N) {
  const int chunks = N / VEC;
  const unsigned across = static_cast<unsigned>((chunks + LANES * UNROLL - 1) / (LANES * UNROLL));
  const long long row = static_cast<long long>(block / across) * ROWS + threadIdx.x / LANES;
  const int lane = static_cast<int>(threadIdx.x) % LANES;
  return {row, static_cast<int>(block % across) * LANES * UNROLL + lane, row < M ? chunks : 0};
}

__device__ __forceinline__ void load(const DTYPE* row, const Share& share, Chunk (&held)[UNROLL]) {
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (share.first + u * LANES < share.chunks) held[u] = reinterpret_cast<const Chunk*>(row)[share.first + u * LANES];
    else held[u].set([](int) { return 0.0f; });
  }
}

__device__ __forceinline__ float amax_of(const Chunk& chunk) {
  float amax = 0.0f;
  chunk.each([&](int, float value) { amax = LargerMagnitude()(amax, magnitude(value)); });
  return amax;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
largest_magnitude(const DTYPE* __restrict__ X, unsigned* all, int M, int N, long long pitch_x) {
  __shared__ float words[LANES * ROWS / 32];
  const Share share = share_of(blockIdx.x, M, N);
  Chunk held[UNROLL];
  load(X + share.row * pitch_x, share, held);
  float own = 0.0f;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) own = LargerMagnitude()(own, amax_of(held[u]));
  own = over_row<LANES * ROWS>(own, words, LargerMagnitude());
  if (threadIdx.x == 0) atomicMax(all, bits_from_float(own));
}

/// The sign bits of eight 16-bit numbers, where their codes have them.
__device__ __forceinline__ unsigned signs_of(const unsigned (&words)[4]) {
  const unsigned even = __byte_perm(__byte_perm(words[0], words[1], 0x0051), __byte_perm(words[2], words[3], 0x0051), 0x5410);
  const unsigned odd = __byte_perm(__byte_perm(words[0], words[1], 0x0073), __byte_perm(words[2], words[3], 0x0073), 0x5410);
  return (even >> 4 & 0x08080808U) | (odd & 0x80808080U);
}

/// 2^23 of each place of a chunk's sum of places.
constexpr unsigned begins() {
  unsigned sum = 0;
  for (int e = 0; e < VEC; ++e) sum += kCodesBegin << 4 * e;
  return sum;
}

/// The codes of a chunk, the first in the lowest bits. Places are added up with their 2^23, which is taken off beforehand: a
/// multiply-add each.
template <typename Numbers>
__device__ __forceinline__ unsigned codes_of(const Numbers& chunk, float factor) {
  unsigned word = 0U - begins();
  chunk.each([&](int e, float value) { word += bits_from_float(e2m1_place(magnitude(value) * factor)) * (1U << 4 * e); });
  if constexpr (sizeof(DTYPE) == 2 && VEC == 8) word |= signs_of(chunk.words.at);
  else chunk.each([&](int e, float value) { word |= (bits_from_float(value) >> 28 & 8U) << 4 * e; });
  return factor == 0.0f ? 0 : word;
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
quantize(const DTYPE* __restrict__ X, unsigned char* __restrict__ Q, unsigned char* __restrict__ S, float* __restrict__ T,
         const unsigned* __restrict__ all, int M, int N, int in_row, long long pitch_x, long long pitch_q) {
  const Share share = share_of(NV ? gridDim.x - 1 - blockIdx.x : blockIdx.x, M, N);
  Chunk held[UNROLL];
  load(X + share.row * pitch_x, share, held);
  const Whole whole = NV ? whole_of(float_from_bits(*all)) : Whole();
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const float amax = over_lanes<GROUP / VEC>(amax_of(held[u]), LargerMagnitude());  // all lanes: they shuffle
    const int at = share.first + u * LANES;
    const Scaling scaling = scaling_of(amax, whole);
    const unsigned codes = codes_of(held[u], scaling.factor);
    if constexpr (VEC == 1) {
      const unsigned beside = __shfl_down_sync(0xffffffffU, at < share.chunks ? codes : 0, 1);
      if (at < share.chunks && at % 2 == 0)
        Q[share.row * pitch_q + at / 2] = static_cast<unsigned char>(codes | (at + 1 < share.chunks ? beside << 4 : 0));
    } else if (at < share.chunks) {
      unsigned char* q = Q + share.row * pitch_q + static_cast<long long>(at) * (VEC / 2);
      if constexpr (VEC == 2) *q = static_cast<unsigned char>(codes);
      else if constexpr (VEC == 4) *reinterpret_cast<unsigned short*>(q) = static_cast<unsigned short>(codes);
      else *reinterpret_cast<unsigned*>(q) = codes;
    }
    if (at < share.chunks && at % (GROUP / VEC) == 0) S[share.row * in_row + at / (GROUP / VEC)] = scaling.stored;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *T = whole.step;
}
