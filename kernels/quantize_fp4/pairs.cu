// Rung 2, pairs: as packets, of mxfp4, with bf16 quantised as it lies in memory, two numbers to a register.
//
// Idea      packets is bound by what it issues: 17 instructions an element, and memory leaves time for 17. A scale of mxfp4 is a
//           power of two, so that a product has the same 8 digits as the number: it is exact in bf16, too, and one
//           instruction multiplies two. The bent axis of e2m1.cuh is taken around 128 instead of 2^23: from there to 256
//           a bf16 is an integer, and each fma rounds once. Products below 2^-126 may lose digits: their code is 0.
//           Largest magnitudes meet in pairs, too; four codes become 16 bits by two permutations and two shifts.
// Parameters LANES threads a row, ROWS rows a block, UNROLL accesses of 8 elements in flight.
// Expects   bf16, mxfp4, rows of a multiple of 8 elements; X and Q may have leading dimensions of their own.
// Lacks     nvfp4, whose products are not exact in bf16; fp16, whose range holds no scale of small numbers.
// Should gain over packets, 16384 x 16384 on emu:h200: 168 us modelled instead of 203 (measured 194), where 159 are the
//           least: 11 instructions an element instead of 17, issue 66 % of the time instead of 86.
// Measured on H200: 159.1 us, 4.27 TB/s, a copy's speed (packets 192.7 in the same rounds).
#include "codes.cuh"
#include "common/rows/row_chunk.cuh"

using Chunk = RowChunk<bf16_t, 8>;
constexpr int kLanesOfGroup = GROUP / 8;

/// A number twice.
constexpr unsigned twice(unsigned bits) { return bits << 16 | bits; }

/// Two numbers each; PTX ISA, "fma", "min", "max" of bf16x2.
__device__ __forceinline__ unsigned fma_of_two(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned lesser_of_two(unsigned a, unsigned b) {
  asm("min.bf16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  return a;
}
__device__ __forceinline__ unsigned larger_of_two(unsigned a, unsigned b) {  // NaN if one is NaN
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(a) : "r"(a), "r"(b));
  return a;
}
__device__ __forceinline__ unsigned magnitudes(unsigned two) { return two & twice(0x7fff); }

/// 128 + the code of each magnitude: as e2m1_place.
__device__ __forceinline__ unsigned places_of_two(unsigned two, unsigned factors) {
  const unsigned size = fma_of_two(magnitudes(two), factors, twice(0x8000));  // -0: the product as it is
  const unsigned below_2 = fma_of_two(size, twice(0x4000), twice(0x4300));    // 2 x + 128
  const unsigned below_4 = fma_of_two(size, twice(0x3f80), twice(0x4302));    // x + 130
  const unsigned beyond = fma_of_two(size, twice(0x3f00), twice(0x4304));     // x / 2 + 132
  return lesser_of_two(lesser_of_two(below_2, below_4), lesser_of_two(beyond, twice(0x4307)));
}

/// The codes of four numbers, in the lower half; beyond it lies something. Bytes are those of the first, third, second
/// and fourth number, of which the latter two then move beside their neighbours.
__device__ __forceinline__ unsigned codes_of_four(unsigned first, unsigned second, unsigned factors) {
  const unsigned places = __byte_perm(places_of_two(first, factors), places_of_two(second, factors), 0x6240);
  const unsigned signs = __byte_perm(first, second, 0x7351);
  const unsigned codes = places | (signs >> 4 & 0x08080808U);
  return codes | codes >> 12;
}

/// The largest magnitude of a group, of which this thread has a chunk. All lanes of the warp call it.
__device__ __forceinline__ float amax_of_group(Chunk chunk) {
  unsigned largest = larger_of_two(larger_of_two(magnitudes(chunk.words.at[0]), magnitudes(chunk.words.at[1])),
                                   larger_of_two(magnitudes(chunk.words.at[2]), magnitudes(chunk.words.at[3])));
#pragma unroll
  for (int mask = kLanesOfGroup / 2; mask > 0; mask /= 2)
    largest = larger_of_two(largest, __shfl_xor_sync(0xffffffffU, largest, mask));
  return float_from_bits(larger_of_two(largest, largest << 16) & 0xffff0000U);
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
quantize(const bf16_t* __restrict__ X, unsigned char* __restrict__ Q, unsigned char* __restrict__ S, float* __restrict__ T,
         int M, int N, int in_row, long long pitch_x, long long pitch_q) {
  const int chunks = N / 8;
  const unsigned across = static_cast<unsigned>((chunks + LANES * UNROLL - 1) / (LANES * UNROLL));
  const long long row = static_cast<long long>(blockIdx.x / across) * ROWS + threadIdx.x / LANES;
  const int first = static_cast<int>(blockIdx.x % across) * LANES * UNROLL + static_cast<int>(threadIdx.x) % LANES;
  const int end = row < M ? chunks : 0;  // no chunks of a row that is not there
  const Chunk* x = reinterpret_cast<const Chunk*>(X + row * pitch_x);
  Chunk held[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    if (first + u * LANES < end) held[u] = x[first + u * LANES];
    else held[u].set([](int) { return 0.0f; });
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const int at = first + u * LANES;
    const Scaling scaling = scaling_of(amax_of_group(held[u]), Whole());  // all lanes: they shuffle
    const unsigned factors = __byte_perm(bits_from_float(scaling.factor), 0, 0x3232);
    const auto& words = held[u].words.at;
    const unsigned codes = __byte_perm(codes_of_four(words[0], words[1], factors),
                                       codes_of_four(words[2], words[3], factors), 0x5410);
    if (at >= end) continue;
    reinterpret_cast<unsigned*>(Q + row * pitch_q)[at] = scaling.factor == 0.0f ? 0 : codes;
    if (at % kLanesOfGroup == 0) S[row * in_row + at / kLanesOfGroup] = scaling.stored;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *T = 1.0f;
}
