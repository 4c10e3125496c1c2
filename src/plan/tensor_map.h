#pragma once
// Tensor-map (TMA descriptor) description with the driver's rules (CUDA driver API, cuTensorMapEncodeTiled).

#include <cstdint>
#include <string>
#include <vector>

#include "plan/dtype.h"

namespace kerlab::plan {

enum class Swizzle : std::uint8_t { none, b32, b64, b128 };
enum class L2Promotion : std::uint8_t { none, b64, b128, b256 };

struct TensorMapSpec {
  std::string tensor;  ///< tensor or workspace it points into
  std::int64_t offset_bytes = 0;
  DType dtype = DType::bf16;
  std::vector<std::uint64_t> dims;          ///< innermost first, elements
  std::vector<std::uint64_t> stride_bytes;  ///< rank - 1 of them
  std::vector<std::uint32_t> box;           ///< innermost first, elements
  Swizzle swizzle = Swizzle::none;
  L2Promotion promotion = L2Promotion::none;
  bool nan_fill = false;  ///< out-of-bounds elements: NaN instead of zero
  bool operator==(const TensorMapSpec&) const = default;
};

/// 128 bytes, passed as a __grid_constant__ kernel parameter.
struct alignas(64) TensorMap {
  std::uint64_t words[16] = {};
};

/// Empty when the driver would accept it; else what is wrong, naming the rule. `base` is the device address.
std::string tensor_map_error(const TensorMapSpec& spec, std::uint64_t base);

}  // namespace kerlab::plan
