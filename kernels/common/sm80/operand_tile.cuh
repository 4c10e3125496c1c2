#pragma once
// One operand of a product by mma.sync on its way: global memory -> (cp.async) -> swizzled shared memory -> (ldmatrix)
// -> fragments. Written once for A and B: "x" is a row of A or a column of B; KFirst tells whether k is the contiguous
// index in memory (A of layouts n., B of layouts .t) or x is. PTX ISA, cp.async, ldmatrix, mma.sync.
//
// A tile is Extent x by Bk k and lies in shared memory as it lies in global memory, in rows of KFirst ? Bk : Extent
// elements. Rows are made of chunks of 16 bytes, the unit of a copy and of a row of ldmatrix. ldmatrix reads the same
// chunk of 8 successive rows at once; in plain order these lie in the same 4 banks. So chunk c of row r is put at
// c ^ f(r): the 8 rows then fill the 32 banks, and a copy still writes whole rows.
//
// Copies are made by all Threads of a block, fragments read by all threads of a warp; no fence or barrier is implied.
#include "common/sm80/cp_async.cuh"
#include "common/sm80/ldmatrix.cuh"
#include "common/sm80/mma_sync.cuh"

namespace sm80 {

/// 16 x by 32 bytes of k of an operand, in the order in which mma wants its registers, side by side: of A (x, k), (x +
/// 8, k), (x, k + half), (x + 8, k + half); of B, for two mma, (x, k), (x, k + half), (x + 8, k), (x + 8, k + half). In
/// another order the compiler would move every one of them.
using Fragment = unsigned[4];

template <typename T, int Extent, int Bk, bool KFirst, bool IsA, int Threads>
struct OperandTile {
  using Number = T;
  static constexpr int kElement = static_cast<int>(sizeof(T));
  static constexpr int kChunk = 16 / kElement;  // elements in a chunk
  static constexpr int kStepK = 32 / kElement;  // k of one mma: two chunks
  static constexpr int kSteps = Bk / kStepK;    // mma steps in a tile
  static constexpr int kBk = Bk, kExtent = Extent;
  static constexpr int kRowBytes = (KFirst ? Bk : Extent) * kElement;
  static constexpr int kRows = KFirst ? Extent : Bk;
  static constexpr int kBytes = kRows * kRowBytes;
  static constexpr int kRowChunks = kRowBytes / 16;
  /// ldmatrix transposes pairs of bytes: where bytes must be transposed, row g of a fragment holds x = 2 g, row g + 8 x
  /// = 2 g + 1 (of B: columns g of the first and of the second mma). Accumulators come out in that order.
  static constexpr bool kNeighbours = !KFirst && kElement == 1;
  static constexpr int kPassRows = Threads / kRowChunks;  // rows that all threads copy at once
  static constexpr int kPasses = kRows / kPassRows;
  static_assert(Threads % kRowChunks == 0 && kRows % kPassRows == 0, "all threads copy whole rows at a time");

  const char* next;      // this thread's chunk of pass 0 in the tile to copy next
  long long pass_bytes;  // from one pass to the next
  long long row_bytes;   // of global memory
  unsigned inside;       // bit i: pass i lies within the extent

  /// Byte within a tile of chunk `chunk` of row `row`.
  static __device__ __forceinline__ int place(int row, int chunk) {
    // Fragments of 32-bit numbers cannot be transposed by ldmatrix: 8 x of 4 rows are read as words. Of bytes, rows
    // 0, 1, 4, 5, 8, 9, 12, 13 are read at once, or each of them + 2.
    const int mask = !KFirst && kElement == 4 ? row % 4 * 2
                     : kNeighbours            ? (kRowBytes == 64 ? row / 4 % 4 : row % 2 + row / 4 % 4 * 2)
                     : kRowBytes == 64        ? row / 2 % 4
                                              : row % 8;
    return row * kRowBytes + (chunk ^ mask) * 16;
  }
  static __device__ __forceinline__ int my_row() { return static_cast<int>(threadIdx.x) / kRowChunks; }
  static __device__ __forceinline__ int my_chunk() { return static_cast<int>(threadIdx.x) % kRowChunks; }

  /// Starts at x = origin of `total`, k = first_k. `stride` is the leading dimension, in elements.
  __device__ __forceinline__ OperandTile(const T* operand, int origin, int total, int first_k, int stride) {
    row_bytes = static_cast<long long>(stride) * kElement;
    pass_bytes = kPassRows * row_bytes;
    const int row = (KFirst ? origin : first_k) + my_row();
    const int element = (KFirst ? first_k : origin) + my_chunk() * kChunk;
    next = reinterpret_cast<const char*>(operand) + row * row_bytes + static_cast<long long>(element) * kElement;
    inside = 0;
#pragma unroll
    for (int i = 0; i < kPasses; ++i)
      if ((KFirst ? my_row() + i * kPassRows : my_chunk() * kChunk) < total - origin) inside |= 1u << i;
  }

  /// Copies pass `i` of the tile at `next` to shared memory at `tile`, or not. What lies beyond the extent is not
  /// copied: whatever is in shared memory then goes into accumulators that nobody writes.
  __device__ __forceinline__ void copy(unsigned tile, int i, bool wanted) const {
    cp_async_16_if(wanted && (inside >> i & 1) != 0, tile + place(my_row() + i * kPassRows, my_chunk()),
                   next + i * pass_bytes);
  }

  /// Copies a tile of which only the k of [front, depth) exist: zeros for the others.
  __device__ __forceinline__ void copy_first(unsigned tile, int front, int depth) const {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const int k = KFirst ? my_chunk() * kChunk : my_row() + i * kPassRows;
      const bool wanted = k < depth && (KFirst || k >= front) && (inside >> i & 1) != 0;
      cp_async_16(tile + place(my_row() + i * kPassRows, my_chunk()), next + i * pass_bytes, wanted);
    }
  }

  __device__ __forceinline__ void advance(int k) {
    next += KFirst ? static_cast<long long>(k) * kElement : k * row_bytes;
  }

  /// Where this lane reads the first fragment (step 0, fragment 0) of the warp whose x begin at `origin` in the tile.
  static __device__ __forceinline__ int first_place(int origin) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (!KFirst && kElement == 4) return place(lane % 4, (origin + lane / 4) / kChunk) + lane / 4 % kChunk * 4;
    if (kNeighbours) {  // matrices: k 0, 1 of every 4; k 2, 3; the same of the second half
      const int k = lane / 16 * 16 + lane % 8 / 2 * 4 + lane / 8 % 2 * 2 + lane % 2;
      return place(k, origin / kChunk);
    }
    const int x = IsA ? lane / 8 % 2 : lane / 16;  // half of the x, half of the k of this lane's matrix
    const int k = IsA ? lane / 16 : lane / 8 % 2;
    return KFirst ? place(origin + lane % 8 + x * 8, k) : place(lane % 8 + k * 8, origin / kChunk + x);
  }

  /// Fragment `i` (its 16 x after those of i - 1) of step `step`. The origin is a multiple of a power of two not less
  /// than the warp's extent, so that neither x nor k carries into the bits that the swizzle uses: ^ instead of +.
  static __device__ __forceinline__ void load(Fragment& to, unsigned tile, int first, int step, int i) {
    if (KFirst) {
      ldmatrix_x4(to, tile + (first ^ step * 32) + i * 16 * kRowBytes);
    } else if (kElement == 2) {
      ldmatrix_x4_trans(to, tile + (first ^ i * 32) + step * kStepK * kRowBytes);
    } else if (kNeighbours) {
      Fragment pairs;
      ldmatrix_x4_trans(pairs, tile + (first ^ i * 16) + step * kStepK * kRowBytes);
      to[0] = __byte_perm(pairs[0], pairs[1], 0x6420);
      to[IsA ? 1 : 2] = __byte_perm(pairs[0], pairs[1], 0x7531);
      to[IsA ? 2 : 1] = __byte_perm(pairs[2], pairs[3], 0x6420);
      to[3] = __byte_perm(pairs[2], pairs[3], 0x7531);
    } else {
      const unsigned low = tile + (first ^ i * 64) + step * kStepK * kRowBytes;
      const unsigned high = tile + (first ^ i * 64 ^ 32) + step * kStepK * kRowBytes;
      to[0] = load_shared_word(low);
      to[IsA ? 1 : 2] = load_shared_word(high);
      to[IsA ? 2 : 1] = load_shared_word(low + 4 * kRowBytes);
      to[3] = load_shared_word(high + 4 * kRowBytes);
    }
  }
};

}  // namespace sm80
