#pragma once
// The B matrices that wgmma multiplied by last, made ready. The four warps of a warpgroup, and other warpgroups,
// multiply by the same: what was made is used again as long as shared memory holds the same bits. Plain data, built
// once; how it is made ready is the handlers' business (wgmma_operands.inc, wgmma_fast.inc).

#include <cstdint>

#include "device/emu/handlers/wgmma_descriptor.h"

namespace kerlab::emu {

/// Bytes of k, whatever the type: 8 x 32, 16 x 16 or 32 x 8 bits, 256 x 1.
inline constexpr int kBytesOfK = 32;
inline constexpr int kMostK = 32;  ///< elements, but for single bits

/// Elements as whole numbers of `bits` bits and a sign, times 2^unit.
struct WholeScale {
  int unit = 0, bits = 0;
};

/// Columns in groups of 8, each in two parts: the even columns (0 2 4 6), then the odd ones, as accumulators have them.
struct alignas(64) MatrixB {
  // What it is.
  std::uint64_t descriptor = 0;
  std::uint32_t shared_bytes = 0;
  std::uint16_t columns = 0;  ///< 0: empty
  std::uint8_t type = 0;      ///< of ptx::Type
  bool column = false;        ///< N-major
  // What has been made of it.
  bool has_floats = false, has_exponents = false, has_words = false;
  bool finite = false, in_window = false;
  WholeScale whole;

  MatrixChunks chunks;
  alignas(64) std::uint8_t stored[kMostRows * kBytesOfK];  ///< the chunks
  alignas(64) std::uint8_t turned[kMostRows * kBytesOfK];  ///< N-major: columns one after the other
  alignas(64) float value[kMostRows * kMostK];             ///< [part of 4 columns][k][column of 4]
  alignas(64) std::uint8_t exponent[kMostRows * kMostK];   ///< the same
  /// Pairs of k as halves of a word: [part of 4 columns][pair][column of 4].
  alignas(64) std::uint32_t word[kMostRows * kMostK / 2];

  /// Columns one after the other, kBytesOfK each.
  [[nodiscard]] const std::uint8_t* bytes() const { return column ? turned : stored; }
};

struct RecentMatrices {
  static constexpr int kEntries = 12;
  int next = 0;
  MatrixB entry[kEntries];
};
/// Of this thread.
RecentMatrices& recent_matrices();

}  // namespace kerlab::emu
