#include "device/emu/tma/elements.h"

#include <cstring>

#include "device/emu/async/reduce.h"

namespace kerlab::emu {
namespace {

/// The NaN that fills, as an H200 has it: the same 16 bits over and over, whatever the type.
constexpr std::uint64_t kNan = 0x7ff77ff77ff77ff7;

/// To the nearest with 10 bits of mantissa, ties to even (not as cvt.rna.tf32), subnormals too; every NaN becomes the
/// positive one. Found on an H200, with ties, subnormals and NaN of both signs.
std::uint32_t rounded(std::uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
  return (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
}

}  // namespace

Fill::Fill(const EncodedTensorMap& map) : pattern_(map.nan_fill ? kNan : 0) {}

void Fill::put(std::byte* to, std::uint32_t bytes) const {
  if (pattern_ == 0) {
    std::memset(to, 0, bytes);
    return;
  }
  for (std::uint32_t i = 0; i < bytes; i += sizeof pattern_) std::memcpy(to + i, &pattern_, sizeof pattern_);
}

const std::byte* convert(DType dtype, const std::byte* from, std::byte* to, std::uint32_t bytes) {
  if (dtype != DType::tf32) return from;
  for (std::uint32_t i = 0; i < bytes; i += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from + i, sizeof bits);
    bits = rounded(bits);
    std::memcpy(to + i, &bits, sizeof bits);
  }
  return to;
}

ptx::Type element_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return ptx::Type::f64;
    case DType::fp32:
    case DType::tf32:
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
    case DType::uint64:
      return ptx::Type::u64;
    default:
      return ptx::Type::none;
  }
}

bool has_reduction(DType dtype, ptx::Atomic operation) {
  using ptx::Atomic;
  const bool min_max = operation == Atomic::min || operation == Atomic::max;
  switch (dtype) {
    case DType::uint32:
      return can_reduce(operation, element_type(dtype));
    case DType::int32:
      return operation != Atomic::inc && operation != Atomic::dec && can_reduce(operation, element_type(dtype));
    case DType::int64:
      return min_max;
    case DType::uint64:
      return min_max || operation == Atomic::add;
    case DType::fp16:
    case DType::bf16:
      return min_max || operation == Atomic::add;
    case DType::fp32:
    case DType::tf32:
    case DType::fp64:
      return operation == Atomic::add;
    default:
      return false;
  }
}

}  // namespace kerlab::emu
