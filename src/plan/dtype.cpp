#include "plan/dtype.h"

#include <array>

namespace kerlab::plan {
namespace {

constexpr std::array<DTypeInfo, 21> kTable{{
    {DType::fp64, "fp64", 8, true, 53, -1022, 1.7976931348623157e308, "fp64_t"},
    {DType::fp32, "fp32", 4, true, 24, -126, 3.4028234663852886e38, "fp32_t"},
    {DType::tf32, "tf32", 4, true, 11, -126, 3.4011621342146535e38, "tf32_t"},
    {DType::bf16, "bf16", 2, true, 8, -126, 3.3895313892515355e38, "bf16_t"},
    {DType::fp16, "fp16", 2, true, 11, -14, 65504.0, "fp16_t"},
    {DType::e4m3, "e4m3", 1, true, 4, -6, 448.0, "e4m3_t"},
    {DType::e5m2, "e5m2", 1, true, 3, -14, 57344.0, "e5m2_t"},
    {DType::int64, "int64", 8, false, 0, 0, 9223372036854775807.0, "int64_t"},
    {DType::int32, "int32", 4, false, 0, 0, 2147483647.0, "int32_t"},
    {DType::int8, "int8", 1, false, 0, 0, 127.0, "int8_t"},
    {DType::uint32, "uint32", 4, false, 0, 0, 4294967295.0, "uint32_t"},
    {DType::uint8, "uint8", 1, false, 0, 0, 255.0, "uint8_t"},
    {DType::boolean, "bool", 1, false, 0, 0, 1.0, "bool"},
    {DType::int16, "int16", 2, false, 0, 0, 32767.0, "short"},
    {DType::uint16, "uint16", 2, false, 0, 0, 65535.0, "uint16_t"},
    {DType::uint64, "uint64", 8, false, 0, 0, 18446744073709551615.0, "uint64_t"},
    {DType::int4, "int4", 1, false, 0, 0, 7.0, "uint8_t", 2},
    {DType::uint4, "uint4", 1, false, 0, 0, 15.0, "uint8_t", 2},
    {DType::e2m1, "e2m1", 1, true, 2, 0, 6.0, "uint8_t", 2},
    {DType::e8m0, "e8m0", 1, true, 1, -127, 1.7014118346046923e38, "uint8_t"},
    {DType::complex64, "complex64", 8, true, 24, -126, 3.4028234663852886e38, "float2"},
}};

}  // namespace

const DTypeInfo& info(DType dtype) {
  return kTable.at(static_cast<std::size_t>(dtype));
}

std::string_view name(DType dtype) {
  return info(dtype).name;
}

bool is_packed(DType dtype) {
  return info(dtype).per_byte > 1;
}

std::int64_t bytes_of(DType dtype, std::int64_t elements) {
  const DTypeInfo& type = info(dtype);
  return (elements + type.per_byte - 1) / type.per_byte * type.bytes;
}

std::int64_t elements_in(DType dtype, std::int64_t bytes) {
  const DTypeInfo& type = info(dtype);
  return bytes / type.bytes * type.per_byte;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& row : kTable)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : kTable) names.emplace_back(row.name);
  return names;
}

}  // namespace kerlab::plan
