#pragma once
// What the 128 bytes of a tensor map hold on an emulated device.

#include <cstdint>

#include "plan/tensor_map.h"

namespace kerlab::emu {

struct EncodedTensorMap {
  static constexpr std::uint64_t kMagic = 0x6b65726c61627474;  // tells ours from bytes that were never encoded
  std::uint64_t magic = kMagic;
  std::uint64_t base = 0;
  std::uint64_t dims[5] = {1, 1, 1, 1, 1};  ///< innermost first, elements
  std::uint64_t stride_bytes[4] = {};       ///< of dimensions 1 ..
  std::uint16_t box[5] = {1, 1, 1, 1, 1};
  std::uint8_t element_stride[5] = {1, 1, 1, 1, 1};  ///< from one element of the box to the next; [0] is not used
  std::uint8_t rank = 0;
  DType dtype = DType::uint8;
  Swizzle swizzle = Swizzle::none;
  bool nan_fill = false;
  bool replaced = false;  ///< tensormap.replace was here: nobody has checked it since
};
static_assert(sizeof(EncodedTensorMap) <= sizeof(TensorMap));

/// `spec` must be one that tensor_map_error accepts.
TensorMap encode_tensor_map(const TensorMapSpec& spec, std::uint64_t base);

}  // namespace kerlab::emu
