#pragma once
// Where a wgmma operand lies in shared memory: the matrix descriptor, and the 16-byte chunks that it stands for. PTX
// ISA "Matrix Descriptor Format", "Shared Memory Matrix Layout", "Strides". Plain code, built once for all handlers.

#include <cstdint>

#include "device/emu/machine/op.h"

namespace kerlab::emu {

enum class MatrixSwizzle : std::uint8_t { none, bytes128, bytes64, bytes32 };  ///< as in bits 62 and 63

struct MatrixDescriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
  std::uint32_t base = 0;
  MatrixSwizzle swizzle = MatrixSwizzle::none;
  std::uint64_t bits = 0;

  explicit MatrixDescriptor(std::uint64_t descriptor);
};

/// Bits that mean nothing: reserved ones, and a base offset without a swizzle. An H200 takes no
/// notice of them; the sanitizer does.
constexpr std::uint64_t ignored_bits(std::uint64_t descriptor) {
  constexpr std::uint64_t kReserved = 3ull << 14 | 3ull << 30 | 7ull << 46 | 0x3ffull << 52, kBase = 7ull << 49;
  return descriptor & (descriptor >> 62 == 0 ? kReserved | kBase : kReserved);
}

/// Of a matrix of 32 bytes of k: rows are those of A, columns of B. K-major: a row's chunks follow each other in k.
/// Else (MN-major, 16-bit elements): a chunk is 8 rows of one k.
struct MatrixPart {
  int first = 0, rows = 8;  ///< multiples of 8
  bool column = false;      ///< MN-major
};
inline constexpr int kMostRows = 256, kMostChunks = 2 * kMostRows;

/// The chunks' offsets in shared memory: 2 (row - first) + half of k (K-major), 16 ((row - first) / 8) + k (else).
struct MatrixChunks {
  std::uint32_t begin = 0, end = 0;  ///< of shared memory: all chunks lie within
  std::uint32_t offset[kMostChunks];
};
void find_chunks(const MatrixDescriptor& descriptor, const MatrixPart& part, MatrixChunks& chunks);

/// The same with everything checked that makes a descriptor wrong; raises the warp's fault, which names the fields.
/// `operand`: 'A' or 'B'.
void find_checked_chunks(const Warp& warp, const Op& op, char operand, const MatrixDescriptor& descriptor,
                         const MatrixPart& part, MatrixChunks& chunks);

/// Faults of the instruction that are not of a descriptor.
[[noreturn]] void raise_wgmma(const Warp& warp, const Op& op, int lane, const char* what);
/// Whether the warp belongs to a whole warpgroup: four warps, the first of index 4 i.
bool in_warpgroup(const Warp& warp);

}  // namespace kerlab::emu
