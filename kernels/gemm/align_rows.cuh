#pragma once
// cp.async, ldmatrix and TMA move 16 aligned bytes. An operand whose rows are not multiples of 16 bytes is therefore
// copied once, to a workspace where they are, at the speed of memory; the main loop stays the same. A chunk of 16 bytes
// comes from two aligned loads and a shift. PTX ISA, "ld.global.v4"; all threads of a block of 256 call it.
#include "common/types.cuh"
#include "shift.cuh"

/// An operand to be copied: `count` rows of `length` elements, `stride` apart, to rows of whole 16 bytes, each behind
/// `front` zeros. What follows a row's last element up to 16 bytes is anything.
struct UnalignedRows {
  const DTYPE* from;
  DTYPE* to;
  long long count;
  int length, stride, front;
};

constexpr int kChunkElements = 16 / DTYPE_BYTES;
constexpr int kChunksAtOnce = 4;  // of a thread: so many pairs of loads are in flight
// So many rows on, a row begins at the same place within 16 bytes, whatever its length: a thread shifts all its chunks
// alike. At least a block's eight warps, each of which copies 32 neighbouring chunks of a row at a time.
constexpr int kRowStep = kChunkElements < 8 ? 8 : kChunkElements;

/// 16 bytes of a row, element by element: at the end of the tensor, and where there are zeros in front.
__device__ __forceinline__ void align_chunk_slowly(const DTYPE* row, int length, int first, uint4* to) {
  Vector<DTYPE, kChunkElements> elements;
#pragma unroll
  for (int e = 0; e < kChunkElements; ++e)
    elements.at[e] = first + e >= 0 && first + e < length ? row[first + e] : DTYPE{};
  *to = *reinterpret_cast<const uint4*>(&elements);
}

/// One block's part of an operand: part `part` of those that align_parts counts.
__device__ __forceinline__ void align_part(const UnalignedRows& rows, unsigned part) {
  const int chunks_of_row = (rows.length - 1) / kChunkElements + 1;
  const unsigned columns = (static_cast<unsigned>(chunks_of_row) + 31) / 32;
  const unsigned warp = part / columns * 8 + threadIdx.x / 32;
  const int column = static_cast<int>(part % columns * 32 + threadIdx.x % 32);
  const long long row = static_cast<long long>(warp / kRowStep) * (kRowStep * kChunksAtOnce) + warp % kRowStep;
  if (column >= chunks_of_row) return;
  const int first = column * kChunkElements - rows.front;
  const char* from = reinterpret_cast<const char*>(rows.from + row * rows.stride + first);
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<unsigned long long>(from)) % 16;
  from -= shift;
  const char* end = reinterpret_cast<const char*>(rows.from + (rows.count - 1) * rows.stride + rows.length);
  const long long step = static_cast<long long>(rows.stride) * (kRowStep * DTYPE_BYTES);
  uint4* to = reinterpret_cast<uint4*>(rows.to) + row * chunks_of_row + column;

  bool whole[kChunksAtOnce];
  uint4 low[kChunksAtOnce], high[kChunksAtOnce];
#pragma unroll
  for (int i = 0; i < kChunksAtOnce; ++i) {
    // What is read must lie within the tensor; of the row before none may come along.
    const uint4* at = reinterpret_cast<const uint4*>(from + i * step);
    whole[i] = first >= 0 && row + i * kRowStep < rows.count && reinterpret_cast<const char*>(at + 2) <= end;
    if (whole[i]) {
      low[i] = at[0];
      high[i] = at[1];
    }
  }
#pragma unroll
  for (int i = 0; i < kChunksAtOnce; ++i) {
    const long long of = row + i * kRowStep;
    if (of >= rows.count) return;
    uint4* place = to + static_cast<long long>(i * kRowStep) * chunks_of_row;
    if (whole[i])
      *place = shifted(low[i], high[i], shift);
    else
      align_chunk_slowly(rows.from + of * rows.stride, rows.length, first, place);
  }
}

__device__ __forceinline__ unsigned align_parts(const UnalignedRows& rows) {
  const unsigned columns = (static_cast<unsigned>(rows.length - 1) / kChunkElements + 32) / 32;
  const unsigned groups =
      static_cast<unsigned>((rows.count + kRowStep * kChunksAtOnce - 1) / (kRowStep * kChunksAtOnce));
  return columns * groups * (kRowStep / 8);
}

/// Copies A, and B where it has rows: both in one launch, of any number of blocks.
extern "C" __global__ void __launch_bounds__(256, 4)
    align_rows(const DTYPE* __restrict__ A, DTYPE* __restrict__ to_a, long long rows_a, int length_a, int stride_a,
               int front_a, const DTYPE* __restrict__ B, DTYPE* __restrict__ to_b, long long rows_b, int length_b,
               int stride_b, int front_b) {
  const UnalignedRows a{A, to_a, rows_a, length_a, stride_a, front_a};
  const UnalignedRows b{B, to_b, rows_b, length_b, stride_b, front_b};
  const unsigned parts_a = align_parts(a), parts = parts_a + align_parts(b);
#pragma unroll 1
  for (unsigned part = blockIdx.x; part < parts; part += gridDim.x) {
    const bool second = part >= parts_a;
    align_part({second ? B : A, second ? to_b : to_a, second ? rows_b : rows_a, second ? length_b : length_a,
                second ? stride_b : stride_a, second ? front_b : front_a},
               second ? part - parts_a : part);
  }
}
