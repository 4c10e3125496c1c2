// Tensor maps as kernels reach them: read for a copy, edited by tensormap.replace.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"
#include "device/emu/tma/elements.h"
#include "device/emu/tma/tensor_copy.h"

namespace kerlab::emu {
namespace {

using ptx::MapField;

constexpr std::uint64_t kMapAlign = 64, kMapBytes = sizeof(TensorMap);
/// What an H200 says of coordinates and reductions that TMA does not take (CUDA_ERROR_ILLEGAL_INSTRUCTION).
constexpr FaultKind kIllegalInstruction = FaultKind::trap;

[[noreturn]] void fail(const Issuer& who, FaultKind kind, const std::string& what, std::uint64_t address = 0,
                       std::uint64_t bytes = 0) {
  raise(kind, *who.warp, *who.op, who.lane, what.c_str(), address, static_cast<int>(bytes));
}

/// Null when the 128 bytes are not in memory.
const std::byte* host_map(const Issuer& who, std::uint64_t address) {
  const Cta& cta = *who.warp->cta;
  const auto within = [](std::uint64_t offset, std::uint64_t size) {
    return size >= kMapBytes && offset <= size - kMapBytes;
  };
  if (const std::uint64_t offset = address - kParameterWindow; offset < kWindowBytes) {
    const bool good = within(offset, static_cast<std::uint64_t>(cta.launch->parameter_bytes));
    return good ? cta.launch->parameters + offset : nullptr;
  }
  if (address - kSharedWindow < kWindowBytes) {
    const std::uint64_t offset = address - kSharedWindow - cta.shared_begin();
    return within(offset, cta.shared_bytes) ? cta.shared + offset : nullptr;
  }
  const std::optional<AddressRange> range = cta.launch->memory->find(address);
  return range && range->end - address >= kMapBytes ? reinterpret_cast<const std::byte*>(address) : nullptr;
}

/// What tensor_map_error says of a map that a kernel has edited.
std::string error_of(const EncodedTensorMap& map) {
  TensorMapSpec spec;
  spec.dtype = map.dtype;
  spec.dims.assign(map.dims, map.dims + map.rank);
  spec.stride_bytes.assign(map.stride_bytes, map.stride_bytes + map.rank - 1);
  spec.box.assign(map.box, map.box + map.rank);
  spec.swizzle = map.swizzle;
  spec.nan_fill = map.nan_fill;
  return tensor_map_error(spec, map.base);
}

void check_coordinates(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, bool writes) {
  const std::int64_t inner = std::int64_t{coordinate[0]} * info(map.dtype).bytes;
  if (inner % 16 != 0) {
    fail(who, kIllegalInstruction,
         fmt::format("begins at element {} of its innermost dimension, {} bytes: no multiple of 16", coordinate[0],
                     inner));
  }
  for (int d = 0; writes && d < map.rank; ++d) {
    if (coordinate[d] < 0) {
      fail(who, kIllegalInstruction,
           fmt::format("writes a box that begins at {} in dimension {}: only loads may begin before a tensor",
                       coordinate[d], d));
    }
  }
}

struct ElementType {
  std::string_view name;
  std::optional<DType> dtype;
};
/// As tensormap.replace numbers them (PTX ISA, "tensormap.replace", elemtype).
const ElementType kElementTypes[] = {{"u8", DType::uint8},      {"u16", DType::uint16}, {"u32", DType::uint32},
                                     {"s32", DType::int32},     {"u64", DType::uint64}, {"s64", DType::int64},
                                     {"f16", DType::fp16},      {"f32", DType::fp32},   {"f32.ftz", std::nullopt},
                                     {"f64", DType::fp64},      {"bf16", DType::bf16},  {"tf32", DType::tf32},
                                     {"tf32.ftz", std::nullopt}};

void replace_dtype(const Issuer& who, std::uint64_t value, DType& dtype) {
  if (value >= std::size(kElementTypes)) {
    fail(who, FaultKind::unsupported, fmt::format("has an element type {}: there are 0 to 12", value));
  }
  const ElementType& type = kElementTypes[value];
  // The same bytes under another name keep it: fp8 and int8 are encoded as u8.
  if (type.name == "u8" && info(dtype).bytes == 1) return;
  if (type.name == "u16" && dtype == DType::int16) return;
  if (!type.dtype) {
    fail(who, FaultKind::unsupported, fmt::format("has an element type .{}: the emulated device has none", type.name));
  }
  dtype = *type.dtype;
}

}  // namespace

EncodedTensorMap read_tensor_map(const Issuer& who, std::uint64_t address) {
  if (address % kMapAlign != 0) {
    fail(who, FaultKind::misaligned_address, "has a tensor map at an address that is no multiple of 64", address,
         kMapBytes);
  }
  const std::byte* const bytes = host_map(who, address);
  if (bytes == nullptr) {
    fail(who, FaultKind::illegal_address, "reads a tensor map outside every allocation", address, kMapBytes);
  }
  EncodedTensorMap map;
  std::memcpy(&map, bytes, sizeof map);
  if (map.magic != EncodedTensorMap::kMagic) {
    fail(who, FaultKind::illegal_address,
         "reads bytes that are no tensor map: pass it as a __grid_constant__ parameter, unchanged", address, kMapBytes);
  }
  return map;
}

void check_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate) {
  const ptx::Instruction& instruction = *who.op->instruction;
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.dimensions != map.rank) {
    fail(who, FaultKind::illegal_address,
         fmt::format("copies {}-dimensional boxes, its tensor map has rank {}", modifiers.dimensions, map.rank));
  }
  if (modifiers.im2col) fail(who, FaultKind::illegal_address, "is .im2col, its tensor map is tiled");
  if (map.replaced) {
    const std::string error = error_of(map);
    if (!error.empty()) fail(who, FaultKind::illegal_address, "has a tensor map that was replaced wrongly: " + error);
  }
  check_coordinates(who, map, coordinate, modifiers.space == ptx::Space::global);
  if (instruction.opcode != ptx::Opcode::cp_reduce_async_bulk_tensor) return;
  if (!has_reduction(map.dtype, modifiers.atomic)) {
    fail(who, kIllegalInstruction,
         fmt::format("has no such reduction of {}, the type of its tensor map", name(map.dtype)));
  }
}

void replace_field(const Issuer& who, MapField field, int ordinal, std::uint64_t value, std::byte* at) {
  EncodedTensorMap map;
  std::memcpy(&map, at, sizeof map);
  if (map.magic != EncodedTensorMap::kMagic) {
    fail(who, FaultKind::illegal_address, "edits bytes that are no tensor map: copy all 128 bytes of one first");
  }
  const auto unsupported = [&](const std::string& what) { fail(who, FaultKind::unsupported, what); };
  switch (field) {
    case MapField::global_address:
      map.base = value;
      break;
    case MapField::rank:
      if (value > 4) unsupported(fmt::format("has rank {}: the rank less one is 0 to 4", value));
      map.rank = static_cast<std::uint8_t>(value + 1);
      break;
    case MapField::box_dim:
      map.box[ordinal] = static_cast<std::uint16_t>(std::min<std::uint64_t>(value, 0xffff));
      break;
    case MapField::global_dim:
      map.dims[ordinal] = value;
      break;
    case MapField::global_stride:
      if (ordinal > 3) unsupported("has a stride beyond the fourth");
      map.stride_bytes[ordinal] = value;
      break;
    case MapField::element_stride:
      if (value < 1 || value > 8) unsupported(fmt::format("has an element stride {}: there are 1 to 8", value));
      map.element_stride[ordinal] = static_cast<std::uint8_t>(value);
      break;
    case MapField::elemtype:
      replace_dtype(who, value, map.dtype);
      break;
    case MapField::interleave_layout:
      if (value != 0) unsupported("asks for an interleaved layout: the emulated device has none");
      break;
    case MapField::swizzle_mode:
      if (value > 3) unsupported(fmt::format("has swizzle mode {}: there are 0 to 3", value));
      map.swizzle = static_cast<Swizzle>(value);
      break;
    case MapField::fill_mode:
      map.nan_fill = value != 0;
      break;
    case MapField::none:
      break;
  }
  map.replaced = true;
  std::memcpy(at, &map, sizeof map);
}

}  // namespace kerlab::emu
