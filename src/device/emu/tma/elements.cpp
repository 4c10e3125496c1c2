#include "device/emu/tma/elements.h"

#include <cstring>

namespace kerlab::emu {
namespace {

/// The NaN that fills: all bits but the sign.
std::uint64_t nan_pattern(DType dtype) {
  switch (dtype) {
    case DType::fp16:
    case DType::bf16:
      return 0x7fff7fff7fff7fff;
    case DType::fp32:
    case DType::tf32:
      return 0x7fffffff7fffffff;
    case DType::fp64:
      return 0x7fffffffffffffff;
    default:
      return 0;
  }
}

}  // namespace

Fill::Fill(const EncodedTensorMap& map) : pattern_(map.nan_fill ? nan_pattern(map.dtype) : 0) {}

void Fill::put(std::byte* to, std::uint32_t bytes) const {
  if (pattern_ == 0) {
    std::memset(to, 0, bytes);
    return;
  }
  for (std::uint32_t i = 0; i < bytes; i += sizeof pattern_) std::memcpy(to + i, &pattern_, sizeof pattern_);
}

const std::byte* convert(DType /*dtype*/, const std::byte* from, std::byte* /*to*/, std::uint32_t /*bytes*/) {
  return from;
}

ptx::Type element_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return ptx::Type::f64;
    case DType::fp32:
      return ptx::Type::f32;
    case DType::bf16:
      return ptx::Type::bf16;
    case DType::fp16:
      return ptx::Type::f16;
    case DType::int64:
      return ptx::Type::s64;
    case DType::int32:
      return ptx::Type::s32;
    case DType::uint32:
      return ptx::Type::u32;
    default:
      return ptx::Type::none;
  }
}

}  // namespace kerlab::emu
