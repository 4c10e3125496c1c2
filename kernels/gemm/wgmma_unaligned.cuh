#pragma once
// Tiles of an operand whose rows begin anywhere, for wgmma: a warpgroup loads them itself and writes them to shared
// memory as TMA would (wgmma_tile.cuh). A piece is 16 bytes of a panel's row: two aligned loads and a
// shift.
#include "shift.cuh"
#include "wgmma_tile.cuh"

/// 16 bytes on their way to a tile: two aligned loads.
struct Piece {
  uint4 low, high;
};

/// An operand as the threads of one copying warpgroup see it. Eight threads load a row of 128 bytes, all 128 threads 16
/// rows. Since 16 rows are a multiple of 16 bytes whatever their length, as are the steps of tiles, a thread's pieces
/// are all shifted alike.
template <int EXTENT, bool K_FIRST>
class Unaligned {
  using T = Tile<EXTENT, K_FIRST>;
  static constexpr int kElements = 16 / DTYPE_BYTES;  // of a piece
  static constexpr int kBlocks = T::kPanelRows / 16;  // of 16 rows
 public:
  static constexpr int kPieces = T::kPanels * kBlocks;  // of a thread, of a tile

  /// Matrix `z` of `batch`, each `rows` rows of `length` elements.
  __device__ __forceinline__ Unaligned(const DTYPE* tensor, int batch, int z, int rows, int length)
      : rows_(rows), length_(length) {
    const int thread = static_cast<int>(threadIdx.x) % 128;
    row_ = thread / 8;
    column_ = thread % 8 * kElements;
    const long long size = static_cast<long long>(rows) * length;
    const long long first = z * size + static_cast<long long>(row_) * length + column_;
    const char* from = reinterpret_cast<const char*>(tensor + first);
    shift_ = static_cast<unsigned>(reinterpret_cast<unsigned long long>(from)) % 16;
    from_ = from - shift_;
    const unsigned long long end = reinterpret_cast<unsigned long long>(tensor + batch * size);
    end_ = reinterpret_cast<const char*>(end - end % 16);
    const long long lost = static_cast<long long>(end % 16 / DTYPE_BYTES) - (batch - 1 - z) * size;
    lost_ = static_cast<int>(lost < 0 ? 0 : lost < size ? lost : size);
  }

  /// Begins to load piece `i` of the tile whose first x and k these are. What lies outside the matrix is zero.
  __device__ __forceinline__ Piece load(int i, int x, int k) const {
    const int row = (K_FIRST ? x : k) + i % kBlocks * 16, along = (K_FIRST ? k : x) + i / kBlocks * kPanel;
    const char* at = from_ + (static_cast<long long>(row) * length_ + along) * DTYPE_BYTES;
    const bool inside = row + row_ < rows_ && along + column_ < length_;
    Piece piece = {};
    if (inside && at < end_) piece.low = *reinterpret_cast<const uint4*>(at);
    if (inside && shift_ != 0 && at + 16 < end_) piece.high = *reinterpret_cast<const uint4*>(at + 16);
    return piece;
  }

  /// Writes it to the tile at `to`.
  __device__ __forceinline__ void store(int i, const Piece& piece, unsigned char* to, int x, int k) const {
    const int panel = i / kBlocks, left = length_ - (K_FIRST ? k : x) - column_ - panel * kPanel;
    uint4 numbers = shifted(piece.low, piece.high, shift_);
    if (left < kElements) numbers = first_bytes(numbers, left * DTYPE_BYTES);  // then the next row begins
    *reinterpret_cast<uint4*>(to + place(panel, row_ + i % kBlocks * 16, column_)) = numbers;
  }

  /// Writes the last elements of a tensor that does not end at a multiple of 16 bytes: no aligned load reads them. All
  /// 128 threads, after all pieces; `barrier`: a named barrier of theirs.
  __device__ __forceinline__ void store_lost(unsigned char* to, int x, int k, int barrier) const {
    const int row = K_FIRST ? x : k, along = K_FIRST ? k : x;
    if (lost_ == 0 || row + T::kPanelRows <= rows_ - lost_) return;
    sync_threads(barrier, 128);  // zeros are there already
    const int thread = static_cast<int>(threadIdx.x) % 128;
    if (thread >= lost_) return;
    const long long at = static_cast<long long>(rows_) * length_ - lost_ + thread;
    const int m = static_cast<int>(at / length_) - row, n = static_cast<int>(at % length_) - along;
    if (m < 0 || m >= T::kPanelRows || n < 0 || n >= T::kPanels * kPanel) return;
    const DTYPE* mine = reinterpret_cast<const DTYPE*>(from_ + shift_);
    const long long from_mine = at - static_cast<long long>(row_) * length_ - column_;
    *reinterpret_cast<DTYPE*>(to + place(n / kPanel, m, n % kPanel)) = mine[from_mine];
  }

 private:
  /// Where an element lies in a tile, swizzled.
  static __device__ __forceinline__ int place(int panel, int row, int column) {
    const int bytes = column * DTYPE_BYTES;
    return panel * T::kPanelBytes + row * 128 + (bytes / 16 ^ row % 8) * 16 + bytes % 16;
  }

  const char *from_, *end_;  // 16 bytes aligned: this thread's first piece; where the tensor's whole 16 bytes end
  unsigned shift_;
  int row_, column_;  // of this thread in a panel
  int rows_, length_;
  int lost_;  // elements at this matrix's end behind `end_`
};
