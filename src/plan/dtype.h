#pragma once
// Data types: one row each, everything else looks them up.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::plan {

enum class DType : std::uint8_t { fp64, fp32, tf32, bf16, fp16, e4m3, e5m2, int64, int32, int8, uint32, uint8 };

/// Facts of a data type. For a float with p bits of precision the unit roundoff is 2^-p.
struct DTypeInfo {
  DType dtype;
  std::string_view name;  ///< as users write it: "bf16"
  int bytes;              ///< in memory (tf32 lives in 4)
  bool is_float;
  int precision;                 ///< p: 53, 24, 11 (tf32), 8 (bf16), 11 (fp16), 4 (e4m3), 3 (e5m2); 0 for integers
  int minimum_exponent;          ///< of the smallest normal: -126 for fp32, -14 for fp16
  double maximum;                ///< largest finite value
  std::string_view device_type;  ///< typedef in kernels/common/types.cuh: "bf16_t"
};

const DTypeInfo& info(DType dtype);
std::string_view name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
std::vector<std::string> dtype_names();

}  // namespace kerlab::plan
