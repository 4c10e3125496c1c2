#include "session/adopt/cuda_types.h"

#include <algorithm>
#include <array>

namespace kerlab::session {
namespace {

struct KnownType {
  std::string_view name;
  DType dtype;
};
constexpr std::array kElements = {KnownType{"float", DType::fp32},
                                  KnownType{"double", DType::fp64},
                                  KnownType{"half", DType::fp16},
                                  KnownType{"__half", DType::fp16},
                                  KnownType{"__nv_bfloat16", DType::bf16},
                                  KnownType{"nv_bfloat16", DType::bf16},
                                  KnownType{"int", DType::int32},
                                  KnownType{"int32_t", DType::int32},
                                  KnownType{"unsigned int", DType::uint32},
                                  KnownType{"uint32_t", DType::uint32},
                                  KnownType{"uint", DType::uint32},
                                  KnownType{"long long", DType::int64},
                                  KnownType{"int64_t", DType::int64},
                                  KnownType{"signed char", DType::int8},
                                  KnownType{"int8_t", DType::int8},
                                  KnownType{"unsigned char", DType::uint8},
                                  KnownType{"uint8_t", DType::uint8},
                                  KnownType{"bool", DType::boolean},
                                  KnownType{"short", DType::int16},
                                  KnownType{"short int", DType::int16},
                                  KnownType{"int16_t", DType::int16},
                                  KnownType{"unsigned short", DType::uint16},
                                  KnownType{"uint16_t", DType::uint16},
                                  KnownType{"ushort", DType::uint16},
                                  KnownType{"unsigned long long", DType::uint64},
                                  KnownType{"uint64_t", DType::uint64},
                                  KnownType{"cuComplex", DType::complex64},
                                  KnownType{"cuFloatComplex", DType::complex64},
                                  KnownType{"__nv_fp8_e4m3", DType::e4m3},
                                  KnownType{"__nv_fp8_e5m2", DType::e5m2}};

}  // namespace

std::optional<DType> element_of(std::string_view type) {
  const auto* const found = std::ranges::find(kElements, type, &KnownType::name);
  return found == kElements.end() ? std::nullopt : std::optional(found->dtype);
}

std::string known_elements() {
  return "float, double, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2, bool, int8_t, int16_t, int, long long, "
         "uint8_t, uint16_t, unsigned, unsigned long long, cuComplex; what is packed (int4, uint4, e2m1) and scales "
         "(e8m0) as unsigned char, and then their dtype in family.toml";
}

std::string without_lanes(const std::string& type) {
  for (const char* base : {"float", "int", "half", "double"})
    for (const char* lanes : {"2", "4"})
      if (type == std::string(base) + lanes) return base;
  return type;
}

int lanes_of(const std::string& type) {
  return without_lanes(type) == type ? 1 : type.back() - '0';
}

std::optional<std::int64_t> bytes_of_type(const std::string& type) {
  const std::string base = without_lanes(type);
  if (const auto dtype = element_of(base)) return info(*dtype).bytes * (base == type ? 1 : type.back() - '0');
  if (type == "char") return 1;
  if (type == "unsigned") return 4;
  return type == "long" || type == "size_t" ? std::optional<std::int64_t>(8) : std::nullopt;
}

ValueKind value_kind(std::string_view type) {
  constexpr std::string_view k32[] = {"int", "unsigned int", "int32_t", "uint32_t", "uint"};
  constexpr std::string_view k64[] = {"long long", "unsigned long long", "long",     "unsigned long", "size_t",
                                      "int64_t",   "uint64_t",           "ptrdiff_t"};
  if (std::ranges::find(k32, type) != std::end(k32)) return ValueKind::int32;
  if (std::ranges::find(k64, type) != std::end(k64)) return ValueKind::int64;
  return type == "float" ? ValueKind::fp32 : type == "double" ? ValueKind::fp64 : ValueKind::none;
}

std::string name_in_spec(const std::string& name) {
  constexpr std::string_view kTaken[] = {"i",        "count", "index", "value", "scale", "dtype", "device", "ceil_div",
                                         "round_up", "min",   "max",   "ilog2", "abs",   "pow",   "error",  "code"};
  return std::ranges::find(kTaken, name) == std::end(kTaken) ? name : name + "_";
}

}  // namespace kerlab::session
