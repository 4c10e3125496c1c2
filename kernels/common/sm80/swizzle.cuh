#pragma once
// Where the 16-byte chunks of a tile lie in shared memory, so that neither rows nor columns of chunks meet in one bank.
// PTX ISA, "ldmatrix" (eight rows of 16 bytes are read at once) and "Shared State Space" (32 banks of 4 bytes).
// Arithmetic, any thread; no fence.

namespace sm80 {

/// Rows of RowBytes (a multiple of 32) follow one another without gaps. ldmatrix reads one chunk of eight successive
/// rows, cp.async all chunks of a row: in plain order the former would meet in the same banks. Chunk c of row r is put
/// at c ^ f(r) within its group of kGroup chunks (the largest power of 2, at most 8, that divides a row), where f
/// counts the rows that begin at one bank.
template <int RowBytes>
struct Swizzle {
  static constexpr int kChunks = RowBytes / 16;
  static constexpr int kGroup = (kChunks & -kChunks) < 8 ? (kChunks & -kChunks) : 8;
  static_assert(RowBytes % 32 == 0, "rows of an even number of chunks");

  /// Byte of chunk `chunk` of row `row`.
  static __device__ __forceinline__ unsigned offset(int row, int chunk) {
    return static_cast<unsigned>(row * RowBytes + (chunk ^ (row / (8 / kGroup) % kGroup)) * 16);
  }
};

/// The plain alternative: rows of RowBytes with a gap of 16 bytes behind each, which conflicts no more but costs
/// memory.
template <int RowBytes>
struct Padded {
  static constexpr int kRowStride = RowBytes + 16;
  static __device__ __forceinline__ unsigned offset(int row, int chunk) {
    return static_cast<unsigned>(row * kRowStride + chunk * 16);
  }
};

}  // namespace sm80
