#pragma once
// cp.async, ldmatrix and TMA move 16 aligned bytes. An operand whose rows are not multiples of 16 bytes is therefore
// copied once, to a workspace where they are: a few percent of a large product's time, and the main loop stays the
// same.
#include "common/types.cuh"

/// 16 bytes from any address: two aligned loads and a shift. Reads 32 bytes at most, from the
/// multiple of 16 before `from` on.
__device__ __forceinline__ void load_shifted(unsigned (&to)[4], const char* from) {
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<unsigned long long>(from)) % 16;
  const uint4* aligned = reinterpret_cast<const uint4*>(from - shift);
  const uint4 low = aligned[0], high = shift != 0 ? aligned[1] : low;
  unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = (shift & 8) != 0 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = (shift & 4) != 0 ? words[i + 1] : words[i];
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = __funnelshift_r(words[i], words[i + 1], shift % 4 * 8);
}

/// Copies `rows` rows of `length` elements to rows of round_up(length, 16 bytes), each behind `front` zeros and before
/// zeros. One thread per 16 bytes.
extern "C" __global__ void __launch_bounds__(256)
align_rows(const DTYPE* __restrict__ from, DTYPE* __restrict__ to, long long rows, int length, int front) {
  constexpr int kChunk = 16 / DTYPE_BYTES;
  const int row_chunks = (length - 1) / kChunk + 1;
  const long long chunk = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chunk >= rows * row_chunks) return;
  const long long row = chunk / row_chunks;
  const int first = static_cast<int>(chunk - row * row_chunks) * kChunk - front;
  const DTYPE* source = from + row * length;
  alignas(16) unsigned words[4];
  // What load_shifted reads must lie within the row (of other rows' numbers none may come along) and the tensor.
  const bool whole = first >= 0 && first + kChunk <= length;
  if (whole && (row + 1 < rows || first + 2 * kChunk <= length)) {
    load_shifted(words, reinterpret_cast<const char*>(source + first));
  } else {
    Vector<DTYPE, kChunk> elements;
#pragma unroll
    for (int e = 0; e < kChunk; ++e)
      elements.at[e] = first + e >= 0 && first + e < length ? source[first + e] : DTYPE{};
    *reinterpret_cast<Vector<DTYPE, kChunk>*>(words) = elements;
  }
  *reinterpret_cast<uint4*>(to + chunk * kChunk) = *reinterpret_cast<const uint4*>(words);
}
