#include "plan/tensor_map.h"

#include <fmt/format.h>

namespace kerlab::plan {
namespace {

constexpr std::uint64_t kMostBox = 228 * 1024;  // without padding: what the driver takes for an H200

std::uint64_t swizzle_span(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::b32:
      return 32;
    case Swizzle::b64:
      return 64;
    case Swizzle::b128:
      return 128;
    case Swizzle::none:
      break;
  }
  return 0;
}

/// fp8 is encoded as bytes.
bool has_nan_fill(DType dtype) {
  return info(dtype).is_float && info(dtype).bytes > 1;
}

std::string box_error(const TensorMapSpec& spec) {
  for (std::size_t i = 0; i < spec.box.size(); ++i)
    if (spec.box[i] < 1 || spec.box[i] > 256) return fmt::format("box[{}] = {} is outside 1..256", i, spec.box[i]);
  const std::uint64_t inner = std::uint64_t{spec.box[0]} * static_cast<std::uint64_t>(info(spec.dtype).bytes);
  if (inner % 16 != 0) return fmt::format("box[0] is {} bytes, not a multiple of 16", inner);
  const std::uint64_t span = swizzle_span(spec.swizzle);
  if (span != 0 && inner > span)
    return fmt::format("box[0] is {} bytes, more than the swizzle span of {}", inner, span);
  std::uint64_t bytes = inner;
  for (std::size_t i = 1; i < spec.box.size(); ++i) bytes *= spec.box[i];
  if (bytes > kMostBox)
    return fmt::format("the box is {} bytes, more than an SM's {} of shared memory", bytes, kMostBox);
  return {};
}

}  // namespace

std::string tensor_map_error(const TensorMapSpec& spec, std::uint64_t base) {
  const std::size_t rank = spec.dims.size();
  if (rank < 1 || rank > 5) return fmt::format("rank {} is outside 1..5", rank);
  if (spec.stride_bytes.size() + 1 != rank)
    return fmt::format("{} strides for rank {}", spec.stride_bytes.size(), rank);
  if (spec.box.size() != rank) return fmt::format("{} box extents for rank {}", spec.box.size(), rank);
  if ((base + static_cast<std::uint64_t>(spec.offset_bytes)) % 16 != 0) return "base address is not 16-byte aligned";
  for (std::size_t i = 0; i < rank; ++i)
    if (spec.dims[i] < 1 || spec.dims[i] > (std::uint64_t{1} << 32))
      return fmt::format("dims[{}] = {} is outside 1..2^32", i, spec.dims[i]);
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    if (spec.stride_bytes[i] % 16 != 0)
      return fmt::format("stride[{}] = {} is not a multiple of 16 bytes", i, spec.stride_bytes[i]);
    if (spec.stride_bytes[i] >= (std::uint64_t{1} << 40)) return fmt::format("stride[{}] is not below 2^40 bytes", i);
  }
  if (spec.nan_fill && !has_nan_fill(spec.dtype))
    return fmt::format("out-of-bounds NaN needs a floating type of 16 bits or more, not {}", name(spec.dtype));
  return box_error(spec);
}

}  // namespace kerlab::plan
