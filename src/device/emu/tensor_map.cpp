#include "device/emu/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace kerlab::emu {

TensorMap encode_tensor_map(const TensorMapSpec& spec, std::uint64_t base) {
  EncodedTensorMap encoded;
  encoded.base = base + static_cast<std::uint64_t>(spec.offset_bytes);
  encoded.rank = static_cast<std::uint8_t>(spec.dims.size());
  std::ranges::copy(spec.dims, encoded.dims);
  std::ranges::copy(spec.stride_bytes, encoded.stride_bytes);
  std::ranges::transform(spec.box, encoded.box, [](std::uint32_t x) { return static_cast<std::uint16_t>(x); });
  encoded.dtype = spec.dtype;
  encoded.swizzle = spec.swizzle;
  encoded.nan_fill = spec.nan_fill;
  TensorMap map;
  std::memcpy(map.words, &encoded, sizeof encoded);
  return map;
}

}  // namespace kerlab::emu
