#pragma once
// Data types: one row each, everything else looks them up.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::plan {

/// In the order of lab::NumberId, and with complex64, which is two numbers an element, behind them.
enum class DType : std::uint8_t {
  fp64,
  fp32,
  tf32,
  bf16,
  fp16,
  e4m3,
  e5m2,
  int64,
  int32,
  int8,
  uint32,
  uint8,
  boolean,
  int16,
  uint16,
  uint64,
  int4,
  uint4,
  e2m1,
  e8m0,
  complex64
};
inline constexpr DType kLastDType = DType::complex64;

/// Facts of a data type. For a float with p bits of precision the unit roundoff is 2^-p.
struct DTypeInfo {
  DType dtype;
  std::string_view name;  ///< as users write it: "bf16"
  int bytes;              ///< in memory (tf32 lives in 4); of packed types those of `per_byte` elements: 1
  bool is_float;
  int precision;                 ///< p: 53, 24, 11 (tf32), 8 (bf16), 11 (fp16), 4 (e4m3), 3 (e5m2); 0 for integers
  int minimum_exponent;          ///< of the smallest normal: -126 for fp32, -14 for fp16
  double maximum;                ///< largest finite value
  std::string_view device_type;  ///< CUDA's own, or a typedef in kernels/common/types.cuh: "bf16_t"
  int per_byte = 1;              ///< elements in a byte: 2 of packed types, the first in the low bits
};

const DTypeInfo& info(DType dtype);
std::string_view name(DType dtype);
/// Two elements to a byte.
bool is_packed(DType dtype);
/// What so many elements side by side take: of packed types a whole byte for an odd one.
std::int64_t bytes_of(DType dtype, std::int64_t elements);
/// How many elements lie in so many bytes.
std::int64_t elements_in(DType dtype, std::int64_t bytes);
std::optional<DType> parse_dtype(std::string_view name);
std::vector<std::string> dtype_names();

}  // namespace kerlab::plan
