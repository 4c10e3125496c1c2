#pragma once
// One operand of the tensor-core rungs on its way: global memory -> (cp.async) -> swizzled shared memory -> (ldmatrix)
// -> fragments. Written once for A and B: "x" is a row of A or a column of B; K_FIRST tells whether k is the contiguous
// index in memory (A of layouts n., B of layouts .t) or x is.
//
// A tile is EXTENT x by BK k and lies in shared memory as it lies in global memory, in rows of K_FIRST ? BK : EXTENT
// elements. Rows are made of chunks of 16 bytes, the unit of a copy and of a row of ldmatrix. ldmatrix reads the same
// chunk of 8 successive rows at once; in plain order these lie in the same 4 banks. So chunk c of row r is put at
// c ^ f(r): the 8 rows then fill the 32 banks, and a copy still writes whole rows.
#include "common/async_copy.cuh"
#include "common/tensor_core.cuh"
#include "numbers.cuh"

constexpr int kChunk = 16 / DTYPE_BYTES;   // elements in a chunk
constexpr int kStepK = 32 / DTYPE_BYTES;   // k of one mma: two chunks
constexpr int kSteps = BK / kStepK;        // mma steps in a tile

/// 16 x by kStepK k of an operand, in the order in which mma wants its registers, side by side: of A (x, k), (x + 8,
/// k), (x, k + half), (x + 8, k + half); of B, for two mma, (x, k), (x, k + half), (x + 8, k), (x + 8, k + half). In
/// another order the compiler would move every one of them.
using Fragment = unsigned[4];

template <int EXTENT, bool K_FIRST, bool IS_A>
struct Operand {
  static constexpr int kRowBytes = (K_FIRST ? BK : EXTENT) * DTYPE_BYTES;
  static constexpr int kRows = K_FIRST ? EXTENT : BK;
  static constexpr int kBytes = kRows * kRowBytes;
  static constexpr int kRowChunks = kRowBytes / 16;
  /// ldmatrix transposes pairs of bytes: where bytes must be transposed, row g of a fragment holds x = 2 g, row g + 8 x
  /// = 2 g + 1 (of B: columns g of the first and of the second mma). Sums come out in that order.
  static constexpr bool kNeighbours = !K_FIRST && DTYPE_BYTES == 1;
  static constexpr int kPassRows = THREADS / kRowChunks;  // rows that all threads copy at once
  static constexpr int kPasses = kRows / kPassRows;
  static_assert(THREADS % kRowChunks == 0 && kRows % kPassRows == 0, "constraint whole_passes");

  const char* next;      // this thread's chunk of pass 0 in the tile to copy next
  long long pass_bytes;  // from one pass to the next
  long long row_bytes;   // of global memory
  unsigned inside;       // bit i: pass i lies within the extent

  /// Byte within a tile of chunk `chunk` of row `row`.
  static __device__ __forceinline__ int place(int row, int chunk) {
    // Fragments of 32-bit numbers cannot be transposed by ldmatrix: 8 x of 4 rows are read as words. Of bytes, rows
    // 0, 1, 4, 5, 8, 9, 12, 13 are read at once, or each of them + 2.
    const int mask = !K_FIRST && DTYPE_BYTES == 4 ? row % 4 * 2
                     : kNeighbours                ? (kRowBytes == 64 ? row / 4 % 4 : row % 2 + row / 4 % 4 * 2)
                     : kRowBytes == 64            ? row / 2 % 4
                                                  : row % 8;
    return row * kRowBytes + (chunk ^ mask) * 16;
  }
  static __device__ __forceinline__ int my_row() { return static_cast<int>(threadIdx.x) / kRowChunks; }
  static __device__ __forceinline__ int my_chunk() { return static_cast<int>(threadIdx.x) % kRowChunks; }

  /// Starts at x = origin of `total`, k = first_k; rows are `stride` elements apart in memory.
  __device__ __forceinline__ Operand(const DTYPE* operand, int origin, int total, int first_k, int stride) {
    row_bytes = static_cast<long long>(stride) * DTYPE_BYTES;
    pass_bytes = kPassRows * row_bytes;
    const int row = (K_FIRST ? origin : first_k) + my_row();
    const int element = (K_FIRST ? first_k : origin) + my_chunk() * kChunk;
    next = reinterpret_cast<const char*>(operand) + row * row_bytes + static_cast<long long>(element) * DTYPE_BYTES;
    inside = 0;
#pragma unroll
    for (int i = 0; i < kPasses; ++i)
      if ((K_FIRST ? my_row() + i * kPassRows : my_chunk() * kChunk) < total - origin) inside |= 1u << i;
  }

  /// Copies pass `i` of the tile at `next` to shared memory at `tile`, or not. What lies beyond the extent is not
  /// copied: whatever is in shared memory then goes into sums that nobody writes.
  __device__ __forceinline__ void copy(unsigned tile, int i, bool wanted) const {
    copy_16_if(wanted && (inside >> i & 1) != 0, tile + place(my_row() + i * kPassRows, my_chunk()),
               next + i * pass_bytes);
  }

  /// Copies a tile of which only the k of [front, depth) exist: zeros for the others.
  __device__ __forceinline__ void copy_first(unsigned tile, int front, int depth) const {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const int k = K_FIRST ? my_chunk() * kChunk : my_row() + i * kPassRows;
      const bool wanted = k < depth && (K_FIRST || k >= front) && (inside >> i & 1) != 0;
      copy_16_or_zero(wanted, tile + place(my_row() + i * kPassRows, my_chunk()), next + i * pass_bytes);
    }
  }

  __device__ __forceinline__ void advance(int k) {
    next += K_FIRST ? static_cast<long long>(k) * DTYPE_BYTES : k * row_bytes;
  }

  /// Where this lane reads the first fragment (step 0, fragment 0) of the warp whose x begin at `origin` in the tile.
  static __device__ __forceinline__ int first_place(int origin) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (!K_FIRST && DTYPE_BYTES == 4) return place(lane % 4, (origin + lane / 4) / kChunk) + lane / 4 % kChunk * 4;
    if (kNeighbours) {  // matrices: k 0, 1 of every 4; k 2, 3; the same of the second half
      const int k = lane / 16 * 16 + lane % 8 / 2 * 4 + lane / 8 % 2 * 2 + lane % 2;
      return place(k, origin / kChunk);
    }
    const int x = IS_A ? lane / 8 % 2 : lane / 16;  // half of the x, half of the k of this lane's matrix
    const int k = IS_A ? lane / 16 : lane / 8 % 2;
    return K_FIRST ? place(origin + lane % 8 + x * 8, k) : place(lane % 8 + k * 8, origin / kChunk + x);
  }

  /// Fragment `i` (its 16 x after those of i - 1) of step `step`. The origin is a multiple of a power of two not less
  /// than the warp's extent, so that neither x nor k carries into the bits that the swizzle uses: ^ instead of +.
  static __device__ __forceinline__ void load(Fragment& to, unsigned tile, int first, int step, int i) {
    if (K_FIRST) {
      load_matrices(to, tile + (first ^ step * 32) + i * 16 * kRowBytes);
    } else if (DTYPE_BYTES == 2) {
      load_matrices_transposed(to, tile + (first ^ i * 32) + step * kStepK * kRowBytes);
    } else if (kNeighbours) {
      Fragment pairs;
      load_matrices_transposed(pairs, tile + (first ^ i * 16) + step * kStepK * kRowBytes);
      to[0] = __byte_perm(pairs[0], pairs[1], 0x6420);
      to[IS_A ? 1 : 2] = __byte_perm(pairs[0], pairs[1], 0x7531);
      to[IS_A ? 2 : 1] = __byte_perm(pairs[2], pairs[3], 0x6420);
      to[3] = __byte_perm(pairs[2], pairs[3], 0x7531);
    } else {
      const unsigned low = tile + (first ^ i * 64) + step * kStepK * kRowBytes;
      const unsigned high = tile + (first ^ i * 64 ^ 32) + step * kStepK * kRowBytes;
      to[0] = load_word(low);
      to[IS_A ? 1 : 2] = load_word(high);
      to[IS_A ? 2 : 1] = load_word(low + 4 * kRowBytes);
      to[3] = load_word(high + 4 * kRowBytes);
    }
  }
};
