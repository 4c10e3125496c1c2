#pragma once
// Where the rows of a box lie in global and in shared memory.

#include <algorithm>
#include <cstdint>

#include "device/emu/tensor_map.h"

namespace kerlab::emu {

/// Elements of the box in a dimension; the innermost one is never strided.
inline std::uint32_t box_elements(const EncodedTensorMap& map, int dimension) {
  const std::uint32_t box = map.box[dimension], stride = map.element_stride[dimension];
  return dimension == 0 || stride == 1 ? box : (box + stride - 1) / stride;
}

/// From one row of a box to the next in shared memory: a swizzle pads rows to its span (seen on an H200).
inline std::uint32_t row_pitch(const EncodedTensorMap& map, std::uint32_t row_bytes) {
  return map.swizzle == Swizzle::none ? row_bytes : 16u << static_cast<int>(map.swizzle);
}

/// One row of the box, along the innermost dimension.
struct BoxRow {
  std::uint32_t at = 0;               ///< of its begin in shared memory, bytes from the begin of the box
  std::uint32_t first = 0, last = 0;  ///< its bytes [first, last) are inside the tensor; none: first == last
  std::uint64_t address = 0;          ///< of byte `first` in global memory
};

/// The bits of a shared address that the swizzle changes: bits 4.. get those three higher xored in.
inline std::uint32_t swizzle_mask(Swizzle swizzle) {
  return swizzle == Swizzle::b128 ? 0x70 : swizzle == Swizzle::b64 ? 0x30 : swizzle == Swizzle::b32 ? 0x10 : 0;
}
/// Where the 16-byte chunk at this address lies.
inline std::uint32_t swizzled(std::uint32_t address, std::uint32_t mask) {
  return address ^ ((address >> 3) & mask);
}

/// Calls f(BoxRow) for each row in the order of shared memory.
template <class F>
void each_row(const EncodedTensorMap& map, const std::int32_t* coordinate, int element_bytes, F f) {
  const std::int64_t begin = coordinate[0], size = static_cast<std::int64_t>(map.dims[0]);
  const std::int64_t low = std::clamp<std::int64_t>(begin, 0, size);
  const std::int64_t high = std::clamp<std::int64_t>(begin + map.box[0], low, size);
  BoxRow row;
  const std::uint32_t pitch = row_pitch(map, std::uint32_t{map.box[0]} * static_cast<std::uint32_t>(element_bytes));
  const auto first = static_cast<std::uint32_t>((low - begin) * element_bytes);
  const auto last = static_cast<std::uint32_t>((high - begin) * element_bytes);
  const std::uint64_t inner = map.base + static_cast<std::uint64_t>(low * element_bytes);
  std::uint32_t index[5] = {};
  for (;;) {
    bool inside = low < high;
    std::uint64_t address = inner;
    for (int d = 1; d < map.rank; ++d) {
      const std::int64_t at = std::int64_t{coordinate[d]} + std::int64_t{index[d]} * map.element_stride[d];
      inside = inside && at >= 0 && at < static_cast<std::int64_t>(map.dims[d]);
      address += static_cast<std::uint64_t>(at) * map.stride_bytes[d - 1];
    }
    row.first = inside ? first : 0;
    row.last = inside ? last : 0;
    row.address = inside ? address : 0;
    f(row);
    row.at += pitch;
    int d = 1;
    while (d < map.rank && ++index[d] == box_elements(map, d)) index[d++] = 0;
    if (d >= map.rank) return;
  }
}

}  // namespace kerlab::emu
